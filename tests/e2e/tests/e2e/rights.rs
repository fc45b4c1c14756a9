//! The shipped manifests: whole, taken by a real API server, and with rights that are exactly what the operator uses.

mod rules;
mod scenario;

use std::collections::{BTreeMap, BTreeSet};

use chimera_e2e::operator::root;
use chimera_e2e::rights::rights;
use chimera_e2e::{OPERATOR_USER, manifests};
use chimera_kit::{AuditEvent, ControlPlane};
use k8s_openapi::api::authentication::v1::{SelfSubjectReview, TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::PostParams;
use kube::{Api, Client, Config};
use rules::{Request, Role, roles};
use serde_json::Value;

fn all() -> Vec<Value> {
    let components = manifests::components().unwrap();
    manifests::build(&components.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn every_reference_of_the_manifests_resolves() {
    let all = all();
    let named = |kind: &str, namespace: &str, name: &str| {
        all.iter().any(|object| {
            object["kind"] == kind
                && text(object, "/metadata/namespace") == namespace
                && object["metadata"]["name"] == name
        })
    };
    let mut seen = BTreeSet::new();
    for object in &all {
        let (kind, namespace, name) =
            (text(object, "/kind"), text(object, "/metadata/namespace"), text(object, "/metadata/name"));
        assert!(seen.insert((kind, namespace, name)), "{kind} {namespace}/{name} is there twice");
        let known = ["", "kube-system", "default"].contains(&namespace) || named("Namespace", "", namespace);
        assert!(known, "{kind} {name} is in namespace {namespace}, which nothing makes");
        if let Some(role) = object.get("roleRef") {
            let place = if role["kind"] == "Role" { namespace } else { "" };
            assert!(named(text(role, "/kind"), place, text(role, "/name")), "{kind} {name} refers to {role}");
        }
        for subject in object["subjects"].as_array().into_iter().flatten() {
            let found = named(text(subject, "/kind"), text(subject, "/namespace"), text(subject, "/name"));
            assert!(found, "{kind} {name} has the subject {subject}");
        }
    }
    let deployment = all.iter().find(|object| object["kind"] == "Deployment").unwrap();
    let pod = &deployment["spec"]["template"];
    assert!(named("ServiceAccount", "tigera-operator", text(pod, "/spec/serviceAccountName")));
    assert_eq!(deployment["spec"]["selector"]["matchLabels"]["name"], pod["metadata"]["labels"]["name"]);
    let container = &pod["spec"]["containers"][0];
    assert!(text(container, "/image").contains('/'), "kustomize names the image");
    let volumes: BTreeSet<_> =
        pod["spec"]["volumes"].as_array().unwrap().iter().map(|volume| text(volume, "/name")).collect();
    for mount in container["volumeMounts"].as_array().unwrap() {
        assert!(volumes.contains(text(mount, "/name")), "{mount}");
    }
}

/// Each CustomResourceDefinition is in the kustomization of its folder, and `--manage-crds` may look after each.
#[test]
fn every_custom_resource_definition_is_in_the_manifests() {
    let (mut files, mut names) = (0, BTreeSet::new());
    for folder in ["crds/yaml", "crds/yaml/projectcalico/v1", "crds/yaml/projectcalico/v3"] {
        let listed = std::fs::read_to_string(root().join(folder).join("Kustomization")).unwrap();
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name().into_string().unwrap())).unwrap();
            if name.ends_with(".yaml") {
                assert!(listed.lines().any(|line| line == format!("- {name}")), "{folder}/Kustomization lacks {name}");
                let crd: Value = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
                names.insert(text(&crd, "/metadata/name").to_owned());
                files += 1;
            }
        }
    }
    assert!(files > 40, "{files} files");
    let all = all();
    let role = all.iter().find(|object| object["metadata"]["name"] == "tigera-operator-manage-crds").unwrap();
    let may: BTreeSet<_> =
        role["rules"][1]["resourceNames"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let lacking: Vec<_> = names.iter().filter(|name| !may.contains(name.as_str())).collect();
    assert!(lacking.is_empty(), "components/manage-crds/rbac.yaml lacks {lacking:?}");
}

/// Words of the command line that the Deployment gives are those that the program takes.
#[test]
fn the_program_takes_the_arguments_of_the_deployment() {
    let all = all();
    let deployment = all.iter().find(|object| object["kind"] == "Deployment").unwrap();
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let args: Vec<_> = container["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(args.contains(&"--manage-crds"), "the component adds its flag");
    let help =
        std::process::Command::new(chimera_e2e::operator::binary().unwrap()).args(["run", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for flag in args.iter().filter(|arg| arg.starts_with("--")) {
        let name = flag.split('=').next().unwrap();
        assert!(help.contains(name), "{name} is no flag of chimera run");
    }
    let probes = args.iter().find_map(|arg| arg.strip_prefix("--health-probe-bind-address=")).unwrap();
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
        let get = &container[probe]["httpGet"];
        assert_eq!(format!("{}:{}", text(get, "/host"), get["port"]), probes, "{probe}");
    }
}

/// What is handed on is held, and nothing else is held for that.
#[test]
fn the_operator_holds_for_others_exactly_what_the_roles_give_that_it_renders() {
    let all = all();
    let of = |name: &str| all.iter().find(|object| object["metadata"]["name"] == name).unwrap();
    let in_calico_system: BTreeSet<_> = rules::atoms(&of("tigera-operator-secrets")["rules"]).into_iter().collect();
    let mut rendered = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("tests/golden")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let documents: Vec<Value> = serde_saphyr::from_multiple(&std::fs::read_to_string(path).unwrap()).unwrap();
        let roles = documents.iter().filter(|object| ["ClusterRole", "Role"].contains(&text(object, "/kind")));
        // What it may do itself in calico-system it may hand on in there.
        let own = |role: &Value, atom: &rules::Atom| {
            text(role, "/metadata/namespace") == "calico-system" && in_calico_system.contains(atom)
        };
        let atoms = roles.flat_map(|role| {
            rules::atoms(&role["rules"]).into_iter().filter(|atom| !own(role, atom)).collect::<Vec<_>>()
        });
        rendered.extend(atoms);
    }
    let grants = of("tigera-operator-grants");
    let held: BTreeSet<_> = rules::atoms(&grants["rules"]).into_iter().collect();
    // What is held for every name need not be held for one.
    let covered = |atom: &rules::Atom| held.contains(atom) || held.contains(&atom.of_every_name());
    let missing: Vec<_> = rendered.iter().filter(|atom| !covered(atom)).collect();
    assert!(missing.is_empty(), "cluster-role-grants.yaml lacks {missing:#?}");
    let idle: Vec<_> = held.difference(&rendered).collect();
    assert!(idle.is_empty(), "cluster-role-grants.yaml has what no rendered role gives: {idle:#?}");
}

/// What the golden case `apiserver-v3` shows.
const WHERE_THEY_ARE_THEIR_OWN_API: &str = "is where Calico's resources are CustomResourceDefinitions of their own API";

/// Rights that the scenario cannot show, each with its reason.
const UNSEEN: [(&str, &str); 26] = [
    (
        "tigera-operator-secrets in calico-system: create resourcequotas",
        "somebody else has made it here, so that it is updated; the golden case of GKE creates it",
    ),
    ("tigera-operator: bind clusterroles", "asked for within the creation of a binding"),
    (
        "tigera-operator-docker-enterprise: bind clusterroles cluster-admin",
        "asked for within the creation of a binding",
    ),
    (
        "tigera-operator: update installations/finalizers",
        "asked for where owner references are checked, as on OpenShift",
    ),
    (
        "tigera-operator-secrets in calico-system: patch configmaps",
        "handed on to Goldmane within the creation of its Role",
    ),
    ("tigera-operator: update goldmanes/finalizers", "the same, for what it owns"),
    ("tigera-operator: update whiskers/finalizers", "the same, for what it owns"),
    ("tigera-operator: update managementclusterconnections/finalizers", "the same, for what it owns"),
    (
        "tigera-operator: approve signers tigera.io/operator-signer",
        "asked for within the approval of a certificate signing request",
    ),
    (
        "tigera-operator: sign signers tigera.io/operator-signer",
        "asked for within the signing of a certificate signing request",
    ),
    ("tigera-operator in kube-system: anything of daemonsets aws-node", "is on EKS alone, and would make it one"),
    (
        "tigera-operator: get ipamconfigurations default",
        "of the other API group of Calico's resources, of which a cluster serves one",
    ),
    ("tigera-operator: list ipamconfigurations default", "the same"),
    ("tigera-operator: watch ipamconfigurations default", "the same"),
    ("tigera-operator: update apiservers/finalizers", "the same, for what it owns"),
    (
        "tigera-operator: * tier.networkpolicies calico-system.*",
        "asked for by Calico's API server, which decides by tier and is simulated",
    ),
    (
        "tigera-operator in kube-system: bind roles extension-apiserver-authentication-reader",
        "asked for within the creation of a binding",
    ),
    ("tigera-operator in kube-system: delete rolebindings calico-apiserver-auth-reader", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: create validatingwebhookconfigurations", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: get validatingwebhookconfigurations api.projectcalico.org", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: update validatingwebhookconfigurations api.projectcalico.org", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: delete validatingwebhookconfigurations api.projectcalico.org", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: anything of clusterroles calico-webhooks", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: anything of clusterrolebindings calico-webhooks", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: anything of clusterrolebindings calico-webhooks:csr-creator", WHERE_THEY_ARE_THEIR_OWN_API),
    ("tigera-operator: anything of deployments calico-webhooks", WHERE_THEY_ARE_THEIR_OWN_API),
];

#[tokio::test]
async fn the_api_server_takes_the_manifests_and_their_rights_are_exactly_those_that_the_operator_uses() {
    let cluster = ControlPlane::builder().nodes(2).start().await.unwrap();
    taken(&cluster).await;
    scenario::run(&cluster).await;
    let audit: Vec<_> =
        cluster.audit().await.unwrap().into_iter().filter(|event| event.user == OPERATOR_USER).collect();
    let refused = refused(&audit);
    assert!(refused.is_empty(), "the operator was refused\n{}", refused.join("\n"));

    let requests: Vec<_> =
        audit.iter().filter(|event| event.code < 400 || event.code == 404).filter_map(Request::of).collect();
    let roles = roles(&rights("tigera-operator", &["manage-crds", "docker-enterprise"]).unwrap());
    let own: Vec<&Role> = roles.iter().filter(|role| role.name != "tigera-operator-grants").collect();
    let unforeseen: BTreeSet<_> = requests
        .iter()
        .filter(|request| !own.iter().any(|role| role.allows(request)))
        .map(ToString::to_string)
        .collect();
    let idle: BTreeSet<_> = own.iter().flat_map(|role| role.idle(&requests)).filter(|idle| !is_excused(idle)).collect();
    assert!(
        unforeseen.is_empty() && idle.is_empty(),
        "only what is held for others allowed\n{unforeseen:#?}\nnothing used\n{idle:#?}"
    );
    cluster.stop().await.unwrap();
}

/// By the list, or since a cluster serves Calico's resources in one of two groups.
fn is_excused(idle: &str) -> bool {
    let of_other_group = idle.ends_with(".projectcalico.org") && !idle.ends_with(".crd.projectcalico.org");
    UNSEEN.iter().any(|(unseen, _)| *unseen == idle) || (idle.contains("customresourcedefinitions") && of_other_group)
}

/// Requests that were refused and did not succeed later: a right is in force a moment after its binding.
fn refused(audit: &[AuditEvent]) -> Vec<String> {
    let what = |event: &AuditEvent| {
        let AuditEvent { verb, api_group, resource, subresource, namespace, name, .. } = event;
        // What is refused is not read, so that only what is created has a name.
        let name = if verb == "create" { "" } else { name };
        format!(
            "{verb} {resource}/{subresource} of {api_group:?} {namespace}/{name} ({})",
            event.uri.split('?').next().unwrap()
        )
    };
    let mut open = BTreeMap::new();
    for event in audit {
        match event.code {
            403 => _ = open.insert(what(event), ()),
            _ => _ = open.remove(&what(event)),
        }
    }
    open.into_keys().collect()
}

/// Applies all of it as an administrator does, and acts as the pod's ServiceAccount does.
async fn taken(cluster: &ControlPlane) {
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": manifests::build(&[]).unwrap()});
    let applied = cluster.apply_yaml(&list.to_string()).await.unwrap();
    assert!(applied.iter().any(|object| object["kind"] == "Deployment"));
    let accounts: Api<ServiceAccount> = Api::namespaced(cluster.client(), "tigera-operator");
    let spec = Some(TokenRequestSpec::default());
    let request = TokenRequest { spec, ..TokenRequest::default() };
    let token = accounts.create_token_request("tigera-operator", &PostParams::default(), &request).await.unwrap();
    let mut config = Config::new(cluster.url().parse().unwrap());
    config.accept_invalid_certs = true;
    config.auth_info.token = token.status.unwrap().token.map(Into::into);
    let reviews: Api<SelfSubjectReview> = Api::all(Client::try_from(config).unwrap());
    let who = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await.unwrap();
    let user = who.status.unwrap().user_info.unwrap();
    assert_eq!(user.username.as_deref(), Some(OPERATOR_USER), "the operator under test is this account");
}
