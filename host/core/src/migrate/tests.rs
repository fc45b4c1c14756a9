use chimera_crds::installation::Installation;
use serde_json::{Value, json};

use super::*;
use crate::installation::defaults::effective;
use crate::installation::validate;
use crate::object::Object;
use crate::testing::Fixed;

const INSTALL: &str = include_str!("testdata/manifest-install.yaml");

type Edit = Box<dyn Fn(&mut Value)>;

/// A cluster with the manifest install, changed by `edit`, and an Installation.
fn inputs(spec: Value, edit: impl Fn(&mut Value)) -> InstallationInputs {
    let documents: Vec<Value> = serde_saphyr::from_multiple(INSTALL).unwrap();
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default", "uid": "u"}, "spec": spec});
    let all = documents.into_iter().map(|mut document| {
        edit(&mut document);
        document
    });
    let objects = all.chain([installation]).map(|value| Object::from_value(value).unwrap()).collect();
    InstallationInputs::from_objects(objects).unwrap()
}

fn is(document: &Value, kind: &str, name: &str) -> bool {
    document["kind"] == kind && document["metadata"]["name"] == name
}

/// Sets a variable of calico-node, in place of one that is there.
fn variable(name: &'static str, value: &'static str) -> impl Fn(&mut Value) {
    move |document| {
        if is(document, "DaemonSet", "calico-node") {
            let env = &mut document["spec"]["template"]["spec"]["containers"][0]["env"];
            let env = env.as_array_mut().unwrap();
            env.retain(|variable| variable["name"] != name);
            env.push(json!({"name": name, "value": value}));
        }
    }
}

fn pod(edit: impl Fn(&mut Value)) -> impl Fn(&mut Value) {
    move |document| {
        if is(document, "DaemonSet", "calico-node") {
            edit(&mut document["spec"]["template"]["spec"]);
        }
    }
}

fn config(key: &'static str, value: impl Fn(&str) -> String) -> impl Fn(&mut Value) {
    move |document| {
        if is(document, "ConfigMap", "calico-config") {
            let text = value(document["data"][key].as_str().unwrap_or_default());
            document["data"][key] = text.into();
        }
    }
}

fn converted(edit: impl Fn(&mut Value)) -> Value {
    let conversion = convert(&inputs(json!({}), edit));
    let blocked: Vec<_> = conversion.settings.iter().filter(|setting| setting.verdict == Verdict::Blocked).collect();
    assert!(blocked.is_empty(), "{blocked:#?}");
    serde_json::to_value(conversion.spec).unwrap()
}

fn blocked(edit: impl Fn(&mut Value)) -> Vec<String> {
    let messages = check(&inputs(json!({}), edit));
    messages.iter().map(ToString::to_string).collect()
}

#[test]
fn a_stock_install_is_converted_with_everything_it_sets() {
    let want = json!({
        "cni": {"type": "Calico", "ipam": {"type": "Calico"}},
        "flexVolumePath": "None",
        "calicoNetwork": {
            "bgp": "Enabled",
            "hostPorts": "Enabled",
            "nodeAddressAutodetectionV4": {"firstFound": true},
            "ipPools": [{"name": "default-ipv4-ippool", "cidr": "192.168.0.0/16", "encapsulation": "IPIP"}],
        },
        "calicoNodeDaemonSet": {"spec": {"template": {"spec": {"containers": [
            {"name": "calico-node", "resources": {"requests": {"cpu": "250m"}}}]}}}},
    });
    assert_eq!(converted(|_| {}), want);
}

#[test]
fn an_installation_that_says_nothing_takes_over_what_runs() {
    let inputs = inputs(json!({}), config("veth_mtu", |_| "1440".into()));
    let config = validate(&inputs, Fixed::default().env()).unwrap();
    let spec = serde_json::to_value(&config.spec).unwrap();
    assert_eq!(spec["calicoNetwork"]["mtu"], 1440);
    assert_eq!(spec["flexVolumePath"], "None");
    assert_eq!(config.defaults["calicoNetwork"]["mtu"], 1440, "it is a choice of the operator's");
}

#[test]
fn what_was_taken_over_stays_when_the_manifest_install_is_gone() {
    let edit = |document: &mut Value| {
        config("veth_mtu", |_| "1440".into())(document);
        variable("IP_AUTODETECTION_METHOD", "interface=eth.*")(document);
        pod(|pod| pod["nodeSelector"]["zone"] = "a".into())(document);
    };
    let before = inputs(json!({"cni": {"type": "Calico", "binDir": "/opt/bin"}}), edit);
    let config = validate(&before, Fixed::default().env()).unwrap();
    let mut after = InstallationInputs::new(before.installation.clone());
    after.installation = serde_json::from_value::<Installation>(json!({
        "apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"},
        "spec": before.installation.spec, "status": {"defaults": config.defaults, "computed": config.spec},
    }))
    .unwrap();
    assert_eq!(effective(&after), config.spec);
}

#[test]
fn what_the_user_states_goes_before_what_runs_and_is_said() {
    let inputs = inputs(json!({"calicoNetwork": {"mtu": 1400}}), config("veth_mtu", |_| "1440".into()));
    let config = validate(&inputs, Fixed::default().env()).unwrap();
    assert_eq!(config.spec.calico_network.unwrap().mtu, Some(1400));
    let warnings: String = config.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.contains("spec.calicoNetwork.mtu: it says 1400, the running install has 1440"), "{warnings}");
}

#[test]
fn settings_have_their_fields() {
    let cases: Vec<(Edit, &str, Value)> = vec![
        (Box::new(config("veth_mtu", |_| "1440".into())), "/calicoNetwork/mtu", json!(1440)),
        (Box::new(config("calico_backend", |_| "vxlan".into())), "/calicoNetwork/bgp", json!("Disabled")),
        (
            Box::new(config("cni_network_config", |text| text.replace("\"info\"", "\"Debug\""))),
            "/logging/cni/logSeverity",
            json!("Debug"),
        ),
        (
            Box::new(config("cni_network_config", |text| {
                text.replace("\"portmap\"", "\"tuning\"")
                    .replace("\"snat\": true", "\"sysctl\": {\"net.ipv4.tcp_keepalive_time\": \"9\"}")
            })),
            "/calicoNetwork/sysctl",
            json!([{"key": "net.ipv4.tcp_keepalive_time", "value": "9"}]),
        ),
        (
            Box::new(variable("IP_AUTODETECTION_METHOD", "cidr=10.0.0.0/8,fd00::/8")),
            "/calicoNetwork/nodeAddressAutodetectionV4",
            json!({"cidrs": ["10.0.0.0/8", "fd00::/8"]}),
        ),
        (
            Box::new(variable("IP_AUTODETECTION_METHOD", "kubernetes-internal-ip")),
            "/calicoNetwork/nodeAddressAutodetectionV4",
            json!({"kubernetes": "NodeInternalIP"}),
        ),
        (
            Box::new(variable("CALICO_IPV4POOL_CIDR", "10.5.0.0/16")),
            "/calicoNetwork/ipPools/0/cidr",
            json!("10.5.0.0/16"),
        ),
        (Box::new(variable("CALICO_IPV4POOL_BLOCK_SIZE", "24")), "/calicoNetwork/ipPools/0/blockSize", json!(24)),
        (
            Box::new(variable("CALICO_IPV4POOL_IPIP", "CrossSubnet")),
            "/calicoNetwork/ipPools/0/encapsulation",
            json!("IPIPCrossSubnet"),
        ),
        (Box::new(variable("FELIX_BPFENABLED", "true")), "/calicoNetwork/linuxDataplane", json!("BPF")),
        (Box::new(variable("FELIX_PROMETHEUSMETRICSENABLED", "true")), "/nodeMetricsPort", json!(9091)),
        (
            Box::new(pod(|pod| pod["tolerations"] = json!([{"key": "a", "operator": "Exists"}]))),
            "/calicoNodeDaemonSet/spec/template/spec/tolerations",
            json!([{"key": "a", "operator": "Exists"}]),
        ),
        (
            Box::new(pod(|pod| pod["imagePullSecrets"] = json!([{"name": "a"}]))),
            "/imagePullSecrets",
            json!([{"name": "a"}]),
        ),
        (
            Box::new(pod(|pod| pod["volumes"][7]["hostPath"]["path"] = "/opt/bin".into())),
            "/cni/binDir",
            json!("/opt/bin"),
        ),
        (
            Box::new(|document: &mut Value| {
                if is(document, "DaemonSet", "calico-node") {
                    document["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
                }
            }),
            "/nodeUpdateStrategy/type",
            json!("OnDelete"),
        ),
    ];
    for (number, (edit, pointer, want)) in cases.into_iter().enumerate() {
        let spec = converted(edit);
        assert_eq!(spec.pointer(pointer), Some(&want), "case {number}: {pointer} of {spec:#}");
    }
}

#[test]
fn flexvol_drivers_stay_where_they_are() {
    let spec = converted(pod(|pod| {
        pod["initContainers"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "flexvol-driver", "image": "quay.io/calico/pod2daemon-flexvol:v3.30.0"}));
        pod["volumes"].as_array_mut().unwrap().push(json!({"name": "flexvol-driver-host",
            "hostPath": {"path": "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/nodeagent~uds"}}));
    }));
    assert_eq!(spec["flexVolumePath"], "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/");
}

#[test]
fn a_private_registry_is_carried_with_its_path() {
    let private = |document: &mut Value| {
        let text = document.to_string().replace("quay.io/calico/", "reg.example.com/mirror/");
        *document = serde_json::from_str(&text).unwrap();
    };
    let spec = converted(private);
    assert_eq!((&spec["registry"], &spec["imagePath"]), (&json!("reg.example.com/"), &json!("mirror")));
}

#[test]
fn felix_variables_become_fields_of_felix_configuration() {
    let edit = |document: &mut Value| {
        variable("FELIX_IPTABLESREFRESHINTERVAL", "60")(document);
        variable("FELIX_LOGSEVERITYSCREEN", "WARNING")(document);
        variable("FELIX_IPTABLESBACKEND", "nft")(document);
        variable("FELIX_FAILSAFEINBOUNDHOSTPORTS", "tcp:22,udp:10.0.0.0/8:68")(document);
        variable("FELIX_IPTABLESMARKMASK", "0xff000000")(document);
        variable("FELIX_VXLANVNI", "5000")(document);
    };
    let inputs = inputs(json!({}), edit);
    let conversion = convert(&inputs);
    let want = json!({
        "iptablesRefreshInterval": "60s",
        "logSeverityScreen": "Warning",
        "iptablesBackend": "NFT",
        "failsafeInboundHostPorts": [{"protocol": "tcp", "port": 22}, {"protocol": "udp", "net": "10.0.0.0/8", "port": 68}],
        "iptablesMarkMask": 0xff00_0000_u32,
        "vxlanVNI": 5000,
    });
    assert_eq!(Value::Object(conversion.felix.clone()), want);
    let config = validate(&inputs, Fixed::default().env()).unwrap();
    assert_eq!(
        config.felix_configuration.pointer("/spec/vxlanVNI"),
        None,
        "the operator's own value must not go before"
    );
    let missing = missing_felix(&conversion.felix, None, config.cluster.api_group).unwrap();
    assert_eq!(missing.pointer("/spec"), Some(&want));
}

#[test]
fn a_variable_that_felix_configuration_contradicts_is_refused() {
    let mut inputs = inputs(json!({}), variable("FELIX_VXLANVNI", "5000"));
    let felix = json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
        "metadata": {"name": "default"}, "spec": {"vxlanVNI": 4096}});
    inputs.felix = Object::from_value(felix).ok();
    let text = check(&inputs).iter().map(ToString::to_string).collect::<String>();
    assert!(text.contains("FelixConfiguration default has spec.vxlanVNI 4096"), "{text}");
}

#[test]
fn what_nothing_can_hold_is_refused_by_object_container_variable_and_value() {
    let cases: Vec<(Edit, &str)> = vec![
        (
            Box::new(variable("WOOL", "grey")),
            "DaemonSet kube-system/calico-node containers[calico-node].env[WOOL]: grey cannot be carried",
        ),
        (Box::new(variable("DATASTORE_TYPE", "etcdv3")), "env[DATASTORE_TYPE]: etcdv3"),
        (Box::new(variable("IP", "10.0.0.7")), "env[IP]: 10.0.0.7"),
        (Box::new(variable("AS", "64513")), "env[AS]: 64513"),
        (Box::new(variable("NODENAME", "barn")), "env[NODENAME]: barn"),
        (
            Box::new(variable("FELIX_DEFAULTENDPOINTTOHOSTACTION", "DROP")),
            "env[FELIX_DEFAULTENDPOINTTOHOSTACTION]: DROP",
        ),
        (Box::new(variable("FELIX_VXLANMTU", "1300")), "the manifest has 0, 1300"),
        (Box::new(variable("FELIX_WOOL", "1")), "env[FELIX_WOOL]: 1"),
        (Box::new(config("calico_backend", |_| "none".into())), "env[CALICO_NETWORKING_BACKEND]: none"),
        (Box::new(config("cni_network_config", |text| text.replace("calico-ipam", "dhcp"))), "calico.ipam: dhcp"),
        (
            Box::new(config("cni_network_config", |text| text.replace("\"bandwidth\", \"cap", "\"sbr\", \"cap"))),
            "sbr: sbr",
        ),
        (Box::new(config("cni_network_config", |_| "{".into())), "it is no JSON"),
        (
            Box::new(pod(|pod| {
                pod["containers"].as_array_mut().unwrap().push(json!({"name": "dog", "image": "dog:1"}))
            })),
            "containers[dog]: dog:1",
        ),
        (
            Box::new(pod(|pod| pod["volumes"].as_array_mut().unwrap().push(json!({"name": "barn", "emptyDir": {}})))),
            "volumes[barn]: mounted",
        ),
        (Box::new(pod(|pod| pod["hostNetwork"] = false.into())), "hostNetwork: false"),
        (
            Box::new(pod(|pod| pod["containers"][0]["command"] = json!(["sheep"]))),
            "containers[calico-node].command: sheep",
        ),
    ];
    for (edit, want) in cases {
        let messages = blocked(edit);
        assert!(messages.iter().any(|message| message.contains(want)), "{want}: {messages:#?}");
    }
}

#[test]
fn a_refused_setting_refuses_the_whole_take_over() {
    let inputs = inputs(json!({}), variable("WOOL", "grey"));
    let rejected = validate(&inputs, Fixed::default().env()).unwrap_err();
    assert!(rejected.to_string().contains("env[WOOL]"), "{rejected}");
}

#[test]
fn pools_that_exist_count_and_not_the_variables() {
    let mut inputs = inputs(json!({}), variable("CALICO_IPV4POOL_CIDR", "10.5.0.0/16"));
    let pool = |name: &str, cidr: &str| {
        Object::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "IPPool", "metadata": {"name": name},
            "spec": {"cidr": cidr, "ipipMode": "Never", "vxlanMode": "CrossSubnet", "natOutgoing": true, "blockSize": 25}}))
        .unwrap()
    };
    inputs.ip_pools = vec![pool("a", "10.9.0.0/16"), pool("default-ipv4-ippool", "10.8.0.0/16")];
    let pools = convert(&inputs).spec.calico_network.unwrap().ip_pools.unwrap();
    assert_eq!(pools.len(), 1);
    assert_eq!((pools[0].cidr.as_str(), pools[0].block_size), ("10.8.0.0/16", Some(25)));
}

#[test]
fn policy_only_with_host_local_addresses_runs_no_bgp() {
    let edit = |document: &mut Value| {
        config("cni_network_config", |text| {
            text.replace("{\"type\": \"calico-ipam\"}", "{\"type\": \"host-local\", \"subnet\": \"usePodCidr\"}")
                .replace("__CNI_MTU__", "1500")
        })(document);
        config("calico_backend", |_| "none".into())(document);
        variable("USE_POD_CIDR", "true")(document);
    };
    let spec = converted(edit);
    assert_eq!(spec["cni"], json!({"type": "Calico", "ipam": {"type": "HostLocal"}}));
    assert_eq!(spec["calicoNetwork"]["bgp"], "Disabled");
    assert_eq!(spec["calicoNetwork"].get("mtu"), None);
}

#[test]
fn policy_beside_amazons_plugin_is_known_by_its_interfaces() {
    let edit = |document: &mut Value| {
        pod(|pod| drop(pod.as_object_mut().unwrap().remove("initContainers")))(document);
        config("calico_backend", |_| "none".into())(document);
        variable("FELIX_INTERFACEPREFIX", "eni")(document);
    };
    let spec = converted(edit);
    assert_eq!(spec["cni"]["type"], "AmazonVPC");
    assert_eq!(spec["calicoNetwork"].get("ipPools"), None);
    let unknown =
        |document: &mut Value| pod(|pod| drop(pod.as_object_mut().unwrap().remove("initContainers")))(document);
    assert!(blocked(unknown).iter().any(|message| message.contains("spec.cni.type")));
}

#[test]
fn an_installation_with_another_ipam_is_refused() {
    let inputs = inputs(json!({"cni": {"type": "Calico", "ipam": {"type": "HostLocal"}}}), |_| {});
    assert!(blocks(&check(&inputs)));
}
