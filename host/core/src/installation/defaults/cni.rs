//! `spec.cni`.

use chimera_crds::installation::{
    Cni, CniInstallMode, CniSpecVersion, CniType, InstallationSpec, Ipam, IpamType, Provider,
};

use super::{fill, platform};

/// The CNI plugin with everything filled in.
pub(super) fn complete(stated: Option<Cni>, memory: &InstallationSpec, provider: Provider, aws_node: bool) -> Cni {
    let remembered = memory.cni.as_ref();
    let mut cni =
        stated.unwrap_or_else(|| empty(remembered.map_or_else(|| by_provider(provider, aws_node), |cni| cni.type_)));
    let remembered = remembered.filter(|before| before.type_ == cni.type_).and_then(|before| before.ipam.clone());
    cni.ipam.get_or_insert_with(|| remembered.unwrap_or(Ipam { type_: own_ipam(cni.type_) }));
    fill(&mut cni.bin_dir, platform::cni_bin_dir(provider));
    fill(&mut cni.conf_dir, platform::cni_conf_dir(provider));
    cni.install_mode.get_or_insert(CniInstallMode::All);
    if cni.type_ == CniType::Calico {
        cni.spec_version.get_or_insert(CniSpecVersion::Auto);
    }
    cni
}

fn empty(type_: CniType) -> Cni {
    Cni { type_, ipam: None, bin_dir: None, conf_dir: None, install_mode: None, spec_version: None }
}

fn by_provider(provider: Provider, aws_node: bool) -> CniType {
    match provider {
        Provider::Gke => CniType::Gke,
        Provider::Aks => CniType::AzureVnet,
        Provider::Eks => CniType::AmazonVpc,
        _ if aws_node => CniType::AmazonVpc,
        _ => CniType::Calico,
    }
}

fn own_ipam(cni: CniType) -> IpamType {
    match cni {
        CniType::Calico => IpamType::Calico,
        CniType::Gke => IpamType::HostLocal,
        CniType::AmazonVpc => IpamType::AmazonVpc,
        CniType::AzureVnet => IpamType::AzureVnet,
    }
}
