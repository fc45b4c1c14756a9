//! Pools: chosen, checked and rendered.

use chimera_crds::installation::{CalicoNetwork, InstallationSpec, IpPool, IpamType};
use serde_json::{Value, json};

use super::*;
use crate::installation::config::ApiGroup;
use crate::object::Object;

/// Everything that a choice depends on, owned.
struct Case {
    stated: Option<Vec<IpPool>>,
    remembered: Option<Vec<IpPool>>,
    existing: Vec<Object>,
    pod_cidrs: Vec<String>,
    bgp: bool,
    ipam: IpamType,
}

fn case() -> Case {
    Case { stated: None, remembered: None, existing: vec![], pod_cidrs: vec![], bgp: true, ipam: IpamType::Calico }
}

impl Case {
    fn pools(&self) -> Vec<IpPool> {
        choose(&Sources {
            stated: self.stated.as_deref(),
            remembered: self.remembered.as_deref(),
            existing: &self.existing,
            pod_cidrs: &self.pod_cidrs,
            fallback: "192.168.0.0/16",
            bgp: self.bgp,
            ipam: self.ipam,
        })
    }

    fn problems(&self) -> Vec<String> {
        let around = Surroundings {
            existing: &self.existing,
            service_cidrs: &["10.96.0.0/12".into()],
            ipam: self.ipam,
            no_ipip_routes: false,
        };
        check(&self.pools(), &around).into_iter().map(|(path, detail)| format!("{path}: {detail}")).collect()
    }

    fn rendered(&self) -> IpPools {
        let network = CalicoNetwork { ip_pools: Some(self.pools()), ..CalicoNetwork::default() };
        let spec = InstallationSpec { calico_network: Some(network), ..InstallationSpec::default() };
        render(&spec, &self.existing, ApiGroup::V1).unwrap()
    }
}

fn pools(value: Value) -> Option<Vec<IpPool>> {
    Some(serde_json::from_value(value).unwrap())
}

fn stated(value: Value) -> Case {
    Case { stated: pools(value), ..case() }
}

fn existing(name: &str, managed: bool, spec: Value) -> Object {
    let labels = managed.then(|| json!({"app.kubernetes.io/managed-by": "tigera-operator"}));
    Object::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "IPPool",
        "metadata": {"name": name, "labels": labels}, "spec": spec}))
    .unwrap()
}

fn names(case: &Case) -> Vec<String> {
    case.pools().into_iter().map(|pool| pool.name.unwrap()).collect()
}

#[test]
fn a_cluster_that_says_nothing_gets_one_pool() {
    let object = case().rendered().objects.remove(0).into_value();
    let want = json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "IPPool",
        "metadata": {"name": "default-ipv4-ippool", "labels": {"app.kubernetes.io/managed-by": "tigera-operator"}},
        "spec": {"allowedUses": ["Workload", "Tunnel"], "assignmentMode": "Automatic", "blockSize": 26,
            "cidr": "192.168.0.0/16", "ipipMode": "Always", "natOutgoing": true, "nodeSelector": "all()",
            "vxlanMode": "Never"}});
    assert_eq!(object, want);
}

#[test]
fn the_first_pod_cidr_of_each_family_becomes_a_pool() {
    let cidrs = ["10.1.0.0/16", "fd00::/48", "10.2.0.0/16"].map(String::from).to_vec();
    let pools = Case { pod_cidrs: cidrs, ..case() }.pools();
    let shown: Vec<_> = pools.iter().map(|pool| (pool.name.as_deref().unwrap(), pool.cidr.as_str())).collect();
    assert_eq!(shown, [("default-ipv4-ippool", "10.1.0.0/16"), ("default-ipv6-ippool", "fd00::/48")]);
}

#[test]
fn an_empty_list_means_no_pool() {
    assert!(stated(json!([])).pools().is_empty());
}

#[test]
fn a_choice_made_once_stays_when_its_source_changes() {
    let remembered = pools(json!([{"cidr": "10.1.0.0/16"}]));
    let case = Case { remembered, pod_cidrs: vec!["10.9.0.0/16".into()], ..case() };
    assert_eq!(case.pools()[0].cidr, "10.1.0.0/16");
}

#[test]
fn pools_that_were_there_first_are_left_alone_and_the_operators_own_are_found_again() {
    let foreign = existing("herd", false, json!({"cidr": "10.1.0.0/16"}));
    assert!(Case { existing: vec![foreign.clone()], ..case() }.pools().is_empty());
    let own = existing("default-ipv4-ippool", true, json!({"cidr": "10.2.0.0/16", "vxlanMode": "Always"}));
    let case = Case { existing: vec![foreign, own], ..case() };
    assert_eq!(names(&case), ["default-ipv4-ippool"]);
    assert!(case.rendered().deletions.is_empty());
}

#[test]
fn encapsulation_follows_bgp_family_and_ipam() {
    let cidrs = json!([{"cidr": "10.1.0.0/16"}, {"cidr": "fd00::/48"}]);
    let cases = [
        (true, IpamType::Calico, ["IPIP", "None"]),
        (false, IpamType::Calico, ["VXLAN", "VXLAN"]),
        (false, IpamType::HostLocal, ["None", "None"]),
    ];
    for (bgp, ipam, want) in cases {
        let pools = Case { bgp, ipam, ..stated(cidrs.clone()) }.pools();
        let got: Vec<_> = pools.iter().map(|pool| serde_json::to_value(pool.encapsulation).unwrap()).collect();
        assert_eq!(got, want, "bgp {bgp}, {ipam:?}");
    }
}

#[test]
fn further_pools_are_named_after_their_range() {
    let case =
        stated(json!([{"cidr": "10.1.0.0/16"}, {"cidr": "10.2.3.4/16"}, {"cidr": "fd00::/48"}, {"cidr": "fd01::/48"}]));
    assert_eq!(names(&case), ["default-ipv4-ippool", "10-2-0-0-16", "default-ipv6-ippool", "fd01-48"]);
}

#[test]
fn a_range_loses_what_its_prefix_does_not_cover() {
    assert_eq!(stated(json!([{"cidr": "10.1.2.3/16"}])).pools()[0].cidr, "10.1.0.0/16");
}

#[test]
fn a_pool_adopted_by_hand_keeps_what_the_installation_does_not_state() {
    let there = json!({"cidr": "10.1.0.0/16", "blockSize": 24, "natOutgoing": false, "ipipMode": "CrossSubnet",
        "vxlanMode": "Never", "nodeSelector": "has(herd)"});
    let case = Case { existing: vec![existing("meadow", false, there)], ..stated(json!([{"cidr": "10.1.0.0/16"}])) };
    assert!(case.problems().is_empty(), "{:?}", case.problems());
    let object = case.rendered().objects.remove(0);
    assert_eq!(object.key().name, "meadow");
    let spec = object.pointer("/spec").unwrap();
    assert_eq!((&spec["blockSize"], &spec["natOutgoing"]), (&json!(24), &json!(false)));
    assert_eq!((&spec["ipipMode"], &spec["nodeSelector"]), (&json!("CrossSubnet"), &json!("has(herd)")));
}

#[test]
fn turning_encapsulation_off_is_stated_on_a_pool_that_has_it() {
    let there = existing("meadow", true, json!({"cidr": "10.1.0.0/16", "ipipMode": "Always", "vxlanMode": "Never"}));
    let list = json!([{"name": "meadow", "cidr": "10.1.0.0/16", "encapsulation": "None"}]);
    let object = Case { existing: vec![there], ..stated(list.clone()) }.rendered().objects.remove(0);
    assert_eq!(object.pointer("/spec/ipipMode").unwrap(), "Never");
    assert!(stated(list).rendered().objects.remove(0).pointer("/spec/ipipMode").is_none());
}

#[test]
fn only_the_operators_own_pools_are_deleted_when_the_list_drops_them() {
    let there = vec![
        existing("herd", false, json!({"cidr": "10.1.0.0/16"})),
        existing("flock", true, json!({"cidr": "10.2.0.0/16"})),
    ];
    let rendered = Case { existing: there, ..stated(json!([{"name": "meadow", "cidr": "10.3.0.0/16"}])) }.rendered();
    let gone: Vec<_> = rendered.deletions.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(gone, ["flock"]);
}

#[test]
fn what_is_wrong_with_a_pool_is_told_with_its_place_in_the_list() {
    let cases = [
        (json!([{"cidr": "10.1.0.0"}]), "[0].cidr: \"10.1.0.0\" is no range in CIDR notation"),
        (
            json!([{"cidr": "10.0.0.0/28", "blockSize": 26}]),
            "[0].blockSize: a block of /26 does not fit into 10.0.0.0/28; use 28 to 32",
        ),
        (json!([{"cidr": "10.0.0.0/16", "blockSize": 33}]), "[0].blockSize: 33 is not between 20 and 32"),
        (json!([{"cidr": "fd00::/48", "blockSize": 26}]), "[0].blockSize: 26 is not between 116 and 128"),
        (json!([{"cidr": "fd00::/48", "encapsulation": "IPIP"}]), "[0].encapsulation: IP-in-IP carries IPv4 only"),
        (
            json!([{"cidr": "10.0.0.0/16"}, {"cidr": "10.0.4.0/24"}]),
            "[1].cidr: 10.0.4.0/24 overlaps 10.0.0.0/16 of pool [0]",
        ),
        (
            json!([{"name": "a", "cidr": "10.0.0.0/16"}, {"name": "a", "cidr": "10.1.0.0/16"}]),
            "[1].name: a is the name of another pool",
        ),
        (json!([{"cidr": "10.97.0.0/16"}]), "[0].cidr: 10.97.0.0/16 overlaps 10.96.0.0/12 of spec.serviceCIDRs"),
        (json!([{"cidr": "10.0.0.0/16", "allowedUses": ["Grazing"]}]), "[0].allowedUses: \"Grazing\" is unknown"),
        (
            json!([{"cidr": "10.0.0.0/16", "allowedUses": ["LoadBalancer", "Workload"]}]),
            "[0].allowedUses: LoadBalancer cannot be combined",
        ),
    ];
    for (list, want) in cases {
        let problems = stated(list.clone()).problems();
        assert!(problems.len() == 1 && problems[0].starts_with(want), "{list}: {problems:?}");
    }
}

#[test]
fn host_local_allows_one_plain_pool_a_family() {
    let list = json!([{"cidr": "10.1.0.0/16", "encapsulation": "VXLAN"}, {"cidr": "10.2.0.0/16", "nodeSelector": "has(herd)"}]);
    let problems = Case { ipam: IpamType::HostLocal, ..stated(list) }.problems();
    for want in ["[0].encapsulation: VXLAN needs Calico's IPAM", "[1].nodeSelector", "[1].cidr: with HostLocal"] {
        assert!(problems.iter().any(|problem| problem.starts_with(want)), "{want}: {problems:?}");
    }
}

#[test]
fn a_pool_lies_within_the_clusters_pod_cidr() {
    let inside = Case { pod_cidrs: vec!["10.0.0.0/12".into()], ..stated(json!([{"cidr": "10.1.0.0/16"}])) };
    assert!(inside.problems().is_empty());
    let outside = Case { pod_cidrs: vec!["10.0.0.0/12".into()], ..stated(json!([{"cidr": "172.16.0.0/16"}])) };
    assert!(outside.problems().is_empty(), "it stops nothing: {:?}", outside.problems());
    let odd = |case: &Case| super::outside(&case.pools(), &case.pod_cidrs);
    assert_eq!(odd(&inside), []);
    let want = "172.16.0.0/16 is not within the cluster's pod CIDR 10.0.0.0/12";
    assert_eq!(odd(&outside), [("[0].cidr".to_owned(), want.to_owned())]);
    let other_family = Case { pod_cidrs: vec!["10.0.0.0/12".into()], ..stated(json!([{"cidr": "fd00::/48"}])) };
    assert_eq!(odd(&other_family).len(), 1);
}

#[test]
fn a_range_is_canonical_and_a_pool_keeps_the_spelling_that_it_was_made_with() {
    let list = json!([{"cidr": "2001:cafe:42::00/56"}]);
    let fresh = stated(list.clone()).rendered().objects.remove(0);
    assert_eq!(fresh.pointer("/spec/cidr").unwrap(), "2001:cafe:42::/56");
    let there = existing("meadow", false, json!({"cidr": "2001:cafe:0042::/56"}));
    let adopted = Case { existing: vec![there], ..stated(list) };
    assert!(adopted.problems().is_empty(), "{:?}", adopted.problems());
    let object = adopted.rendered().objects.remove(0);
    assert_eq!(
        (object.key().name.as_str(), object.pointer("/spec/cidr").unwrap()),
        ("meadow", &json!("2001:cafe:0042::/56"))
    );
}

#[test]
fn what_somebody_changed_in_the_default_pool_stays() {
    let remembered = pools(json!([{"name": "default-ipv4-ippool", "cidr": "10.1.0.0/16", "natOutgoing": "Enabled",
        "encapsulation": "IPIP", "blockSize": 26, "nodeSelector": "all()"}]));
    let there = json!({"cidr": "10.1.0.0/16", "natOutgoing": false, "vxlanMode": "CrossSubnet", "ipipMode": "Never",
        "blockSize": 26, "nodeSelector": "has(herd)"});
    let case = Case { remembered, existing: vec![existing("default-ipv4-ippool", true, there.clone())], ..case() };
    let object = case.rendered().objects.remove(0);
    for (name, value) in there.as_object().unwrap() {
        assert_eq!(&object.fields()["spec"][name], value, "{name}");
    }
}

#[test]
fn a_pool_in_use_stays_and_holds_back_only_what_would_take_its_addresses() {
    let there = vec![
        existing("flock", true, json!({"cidr": "10.2.0.0/16"})),
        existing("idle", true, json!({"cidr": "10.7.0.0/16"})),
    ];
    let list = json!([{"name": "wide", "cidr": "10.2.0.0/15"}, {"name": "meadow", "cidr": "10.9.0.0/16"}]);
    let rendered = Case { existing: there.clone(), ..stated(list) }.rendered();
    let blocks = vec![
        Block { cidr: "10.2.0.0/26".into(), allocated: 3 },
        Block { cidr: "10.2.0.64/26".into(), allocated: 0 },
        Block { cidr: "10.8.0.0/26".into(), allocated: 9 },
    ];
    let Kept { pools, messages } = keep_used(rendered, &there, &Usage::Known(blocks));
    let names = |keys: Vec<&str>| keys.into_iter().map(String::from).collect::<Vec<_>>();
    assert_eq!(names(pools.deletions.iter().map(|key| key.name.as_str()).collect()), ["idle"]);
    assert_eq!(names(pools.objects.iter().map(|object| object.key().name.as_str()).collect()), ["meadow"]);
    let texts: Vec<_> = messages.iter().map(ToString::to_string).collect();
    assert!(
        texts[0]
            .starts_with("IPPool flock: the Installation lists it no more, but 3 of its addresses are in use, in 2")
    );
    assert!(
        texts[1].starts_with("IPPool wide spec.cidr: 10.2.0.0/15 overlaps 10.2.0.0/16 of IPPool flock"),
        "{texts:?}"
    );
}

#[test]
fn a_pool_of_unknown_use_stays() {
    let there = vec![existing("flock", true, json!({"cidr": "10.2.0.0/16"}))];
    let rendered = Case { existing: there.clone(), ..stated(json!([])) }.rendered();
    let kept = keep_used(rendered, &there, &Usage::Unknown("it may not list ipamblocks".into()));
    assert!(kept.pools.deletions.is_empty());
    assert!(kept.messages[0].to_string().contains("it may not list ipamblocks"));
}

#[test]
fn range_and_block_size_of_a_pool_cannot_change_and_foreign_pools_are_respected() {
    let there = vec![
        existing("meadow", true, json!({"cidr": "10.1.0.0/16", "blockSize": 26})),
        existing("herd", false, json!({"cidr": "10.5.0.0/16"})),
    ];
    let list =
        json!([{"name": "meadow", "cidr": "10.2.0.0/16", "blockSize": 24}, {"name": "new", "cidr": "10.5.1.0/24"}]);
    let problems = Case { existing: there, ..stated(list) }.problems();
    let want = [
        "[0].cidr: IPPool meadow has 10.1.0.0/16, which cannot change to 10.2.0.0/16",
        "[0].blockSize: IPPool meadow has 26, which cannot change to 24",
        "[1].cidr: 10.5.1.0/24 overlaps 10.5.0.0/16 of IPPool herd",
    ];
    assert_eq!(problems, want);
}

#[test]
fn a_name_that_no_object_can_have_is_named() {
    for (name, good) in
        [("wool", true), ("wool.v4-1", true), ("", false), ("Wool", false), ("schäfchen", false), ("-a", false)]
    {
        let problems = stated(json!([{"name": name, "cidr": "192.168.0.0/16"}])).problems();
        assert_eq!(problems.iter().all(|problem| !problem.starts_with("[0].name: ")), good, "{name}: {problems:?}");
    }
}
