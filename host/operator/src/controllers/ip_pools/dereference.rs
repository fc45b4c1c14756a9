//! Pools follow from the Installation, so what is read is what the Installation depends on, and what pools are used for
//! where the answer matters.

use chimera_core::ip_pools::{Block, Usage, drops_some};
use chimera_core::message::Message;
use kube::api::ListParams;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::super::installation::dereference::{self, Found};
use crate::client;
use crate::context::Context;

/// Blocks are read in pages, of each only what counts is kept.
const PAGE: u32 = 200;

/// What was read.
pub(super) struct FoundPools {
    pub(super) found: Found,
    /// Read only while a pool may have to go: blocks are as many as nodes, and change with every pod.
    pub(super) usage: Option<Usage>,
}

#[derive(Clone, Debug, Deserialize)]
struct IpamBlock {
    cidr: String,
    #[serde(default)]
    allocations: Vec<Option<i64>>,
}

#[derive(Clone, Debug, Deserialize)]
struct BlockAffinity {
    cidr: String,
}

/// Only the part that matters.
#[derive(Clone, Debug, Deserialize)]
struct With<Spec> {
    spec: Spec,
}

#[derive(Deserialize)]
struct Page<Spec> {
    metadata: PageMetadata,
    items: Vec<With<Spec>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageMetadata {
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// Reads; none if there is no Installation to serve.
pub(super) async fn run(context: &Context) -> Result<Option<FoundPools>, Message> {
    let Some(found) = dereference::run(context).await? else { return Ok(None) };
    let usage = if drops_some(&found.inputs) { Some(usage(context).await) } else { None };
    Ok(Some(FoundPools { found, usage }))
}

/// Blocks, and ranges that a node has set its hand on before it made the block.
async fn usage(context: &Context) -> Usage {
    let blocks = list(context, "IPAMBlock", "ipamblocks", |block: IpamBlock| Block {
        allocated: block.allocations.iter().flatten().count(),
        cidr: block.cidr,
    });
    let affinities = list(context, "BlockAffinity", "blockaffinities", |affinity: BlockAffinity| Block {
        cidr: affinity.cidr,
        allocated: 0,
    });
    match (blocks.await, affinities.await) {
        (Ok(blocks), Ok(affinities)) => Usage::Known(together(blocks, affinities)),
        (Err(reason), _) | (_, Err(reason)) => Usage::Unknown(reason),
    }
}

/// Each range once.
fn together(mut blocks: Vec<Block>, affinities: Vec<Block>) -> Vec<Block> {
    for affinity in affinities {
        if !blocks.iter().any(|block| block.cidr == affinity.cidr) {
            blocks.push(affinity);
        }
    }
    blocks
}

async fn list<Spec: DeserializeOwned>(
    context: &Context,
    kind: &str,
    plural: &str,
    block: impl Fn(Spec) -> Block,
) -> Result<Vec<Block>, String> {
    let api_version = context.settings.api_group.api_version();
    let (mut blocks, mut params) = (Vec::new(), ListParams::default().limit(PAGE));
    loop {
        let page = page(context, api_version, plural, &params).await;
        let Page::<Spec> { metadata, items } = match page {
            Ok(page) => page,
            // Nobody handed out an address where the kind is not served.
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(Vec::new()),
            Err(error) => return Err(format!("{kind}: {}", client::reason(&error, "list"))),
        };
        blocks.extend(items.into_iter().map(|item| block(item.spec)));
        match metadata.next.filter(|next| !next.is_empty()) {
            Some(next) => params = params.continue_token(&next),
            None => return Ok(blocks),
        }
    }
}

async fn page<Spec: DeserializeOwned>(
    context: &Context,
    api_version: &str,
    plural: &str,
    params: &ListParams,
) -> Result<Page<Spec>, kube::Error> {
    let request = kube::core::Request::new(format!("/apis/{api_version}/{plural}"));
    let request = request.list(params).map_err(kube::Error::BuildRequest)?;
    context.client.request(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_counts_once_and_a_mere_affinity_counts_as_well() {
        let block = |cidr: &str, allocated| Block { cidr: cidr.into(), allocated };
        let all = together(vec![block("10.1.0.0/26", 2)], vec![block("10.1.0.0/26", 0), block("10.1.0.64/26", 0)]);
        assert_eq!(all, [block("10.1.0.0/26", 2), block("10.1.0.64/26", 0)]);
    }

    #[test]
    fn a_page_is_read_without_what_does_not_matter() {
        let text = r#"{"metadata": {"resourceVersion": "1", "continue": "x"}, "items": [
            {"metadata": {"name": "a"}, "spec": {"cidr": "10.1.0.0/26", "allocations": [0, null, 1], "strictAffinity": false}}]}"#;
        let page: Page<IpamBlock> = serde_json::from_str(text).unwrap();
        assert_eq!(page.metadata.next.as_deref(), Some("x"));
        assert_eq!(page.items[0].spec.allocations, [Some(0), None, Some(1)]);
    }
}
