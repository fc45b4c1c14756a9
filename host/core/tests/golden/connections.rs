//! Who listens, who connects, and by what both know each other: no component answers another one without a certificate
//! or a token.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chimera_core::object::Object;
use serde_json::Value;
use x509_parser::pem::Pem;

use crate::case::Case;
use crate::pipeline;

/// The case with every component that talks to another one.
const CASE: &str = "goldmane-whisker";
const BUNDLE: &str = "tigera-ca-bundle.crt";

/// Services whose clients are no components of Calico's, and what keeps others out.
const FOREIGN_CLIENTS: [(&str, &str); 2] = [
    (
        "calico-api",
        "the Kubernetes API server shows the certificate of its proxy; all others need a token of Kubernetes",
    ),
    (
        "whisker",
        "its network policy lets nobody in, so that only a port forwarded by Kubernetes, with a token, leads there",
    ),
];

/// One end of a connection: a container, and the variables that name its files.
struct End {
    workload: &'static str,
    container: &'static str,
    /// Its certificate and its key.
    pair: [&'static str; 2],
    /// What it knows the other end by; none: it looks where the bundle is mounted.
    authority: Option<&'static str>,
}

const fn end(
    workload: &'static str,
    container: &'static str,
    pair: [&'static str; 2],
    authority: Option<&'static str>,
) -> End {
    End { workload, container, pair, authority }
}

const NODE: End =
    end("calico-node", "calico-node", ["FELIX_TYPHACERTFILE", "FELIX_TYPHAKEYFILE"], Some("FELIX_TYPHACAFILE"));
const TYPHA: End =
    end("calico-typha", "calico-typha", ["TYPHA_SERVERCERTFILE", "TYPHA_SERVERKEYFILE"], Some("TYPHA_CAFILE"));
const GOLDMANE: End = end("goldmane", "goldmane", ["SERVER_CERT_PATH", "SERVER_KEY_PATH"], Some("CA_CERT_PATH"));
const BACKEND: End = end("whisker", "whisker-backend", ["TLS_CERT_PATH", "TLS_KEY_PATH"], None);

/// Client, Service, server, and the name that the client looks for in the server's certificate.
const CONNECTIONS: [(End, &str, End, &str); 3] = [
    (NODE, "calico-typha", TYPHA, "typha-server"),
    (NODE, "goldmane", GOLDMANE, "goldmane.calico-system.svc"),
    (BACKEND, "goldmane", GOLDMANE, "goldmane.calico-system.svc.cluster.local"),
];

struct Rendered(Vec<Object>);

impl Rendered {
    fn new() -> Self {
        let case = Case::all().into_iter().find(|case| case.name == CASE).unwrap();
        Self(pipeline::render(&case))
    }

    fn named(&self, kind: &str, name: &str) -> &Object {
        let is = |object: &&Object| {
            let key = object.key();
            key.kind == kind && key.name == name && key.namespace.as_deref() == Some("calico-system")
        };
        self.0.iter().find(is).unwrap_or_else(|| panic!("{kind} {name} is not rendered"))
    }

    fn pod(&self, workload: &str) -> &Value {
        let kind = if workload == "calico-node" { "DaemonSet" } else { "Deployment" };
        self.named(kind, workload).pointer("/spec/template/spec").unwrap()
    }

    fn variable(&self, end: &End, name: &str) -> String {
        let env = container(self.pod(end.workload), end.container)["env"].as_array().unwrap();
        let variable = env.iter().find(|variable| variable["name"] == name);
        let variable = variable.unwrap_or_else(|| panic!("{} of {} has no {name}", end.container, end.workload));
        variable["value"].as_str().unwrap().to_owned()
    }

    /// The text of a file that a container has from a Secret or ConfigMap among what is rendered.
    fn file(&self, end: &End, path: &str) -> String {
        let pod = self.pod(end.workload);
        let (folder, name) = path.rsplit_once('/').unwrap();
        let mounts = container(pod, end.container)["volumeMounts"].as_array().unwrap();
        let mount = mounts.iter().find(|mount| mount["mountPath"] == folder);
        let mount = mount.unwrap_or_else(|| panic!("{path} is nowhere in {}", end.container));
        let volumes = pod["volumes"].as_array().unwrap();
        let volume = volumes.iter().find(|volume| volume["name"] == mount["name"]).unwrap();
        if let Some(secret) = volume.pointer("/secret/secretName").and_then(Value::as_str) {
            let data = self.named("Secret", secret).pointer(&format!("/data/{name}")).unwrap().as_str().unwrap();
            return String::from_utf8(STANDARD.decode(data).unwrap()).unwrap();
        }
        let map = volume.pointer("/configMap/name").and_then(Value::as_str).unwrap();
        self.named("ConfigMap", map).pointer(&format!("/data/{name}")).unwrap().as_str().unwrap().to_owned()
    }

    fn certificate(&self, end: &End) -> String {
        let [certificate, key] = end.pair.map(|name| self.file(end, &self.variable(end, name)));
        assert!(key.contains("PRIVATE KEY"), "{} has no key", end.container);
        certificate
    }

    fn trusted(&self, end: &End) -> String {
        let path = end.authority.map(|name| self.variable(end, name));
        self.file(end, &path.unwrap_or_else(|| format!("/etc/pki/tls/certs/{BUNDLE}")))
    }
}

fn container<'a>(pod: &'a Value, name: &str) -> &'a Value {
    let containers = pod["containers"].as_array().unwrap();
    containers.iter().find(|container| container["name"] == name).unwrap()
}

fn pems(text: &str) -> Vec<Pem> {
    Pem::iter_from_buffer(text.as_bytes()).map(Result::unwrap).collect()
}

/// Whether a certificate is good for this use and was issued by one of those that are trusted.
fn is_accepted(certificate: &str, trusted: &str, is_server: bool) -> bool {
    let (own, trusted) = (pems(certificate), pems(trusted));
    let own = own.first().unwrap().parse_x509().unwrap();
    let usage = own.extended_key_usage().unwrap().unwrap().value;
    let usable = if is_server { usage.server_auth } else { usage.client_auth };
    usable && trusted.iter().any(|authority| authority.parse_x509().unwrap().subject() == own.issuer())
}

fn names(certificate: &str) -> Vec<String> {
    let pems = pems(certificate);
    let certificate = pems.first().unwrap().parse_x509().unwrap();
    let names = certificate.subject_alternative_name().unwrap().unwrap();
    names.value.general_names.iter().map(ToString::to_string).collect()
}

#[test]
fn both_ends_of_every_connection_show_a_certificate_that_the_other_end_trusts() {
    let rendered = Rendered::new();
    for (client, service, server, name) in &CONNECTIONS {
        let (shown, asked) = (rendered.certificate(client), rendered.certificate(server));
        let what = format!("{} to {service}", client.container);
        assert!(is_accepted(&shown, &rendered.trusted(server), false), "{what}: the server refuses the client");
        assert!(is_accepted(&asked, &rendered.trusted(client), true), "{what}: the client refuses the server");
        let names = names(&asked);
        assert!(names.iter().any(|own| own == &format!("DNSName({name})")), "{what}: {name} is not among {names:?}");
    }
}

#[test]
fn clients_are_told_the_names_that_they_look_for() {
    let rendered = Rendered::new();
    assert_eq!(rendered.variable(&NODE, "FELIX_TYPHACN"), "typha-server");
    assert_eq!(rendered.variable(&TYPHA, "TYPHA_CLIENTCN"), "typha-client");
    assert_eq!(rendered.variable(&NODE, "FELIX_FLOWLOGSGOLDMANESERVER"), "goldmane.calico-system.svc:7443");
    assert_eq!(rendered.variable(&BACKEND, "GOLDMANE_HOST"), "goldmane.calico-system.svc.cluster.local:7443");
    // The host's resolver knows no Service.
    let alias = rendered.pod("calico-node").pointer("/hostAliases/0/hostnames/0").unwrap();
    assert_eq!(alias, "goldmane.calico-system.svc");
}

#[test]
fn no_service_is_left_out() {
    let rendered = Rendered::new();
    let foreign = BTreeMap::from(FOREIGN_CLIENTS);
    for service in rendered.0.iter().filter(|object| object.key().kind == "Service") {
        let name = service.key().name.as_str();
        let known = CONNECTIONS.iter().any(|(_, own, ..)| *own == name) || foreign.contains_key(name);
        assert!(known, "Service {name}: say who connects to it, and by what it knows them");
    }
    let policy = rendered.named("NetworkPolicy", "calico-system.whisker");
    assert!(policy.pointer("/spec/ingress").is_none(), "what is said above of whisker does not hold");
}

#[test]
fn the_console_and_its_backend_speak_tls_within_their_pod() {
    let rendered = Rendered::new();
    let config = rendered.named("ConfigMap", "whisker-nginx-config").pointer("/data/default.conf").unwrap();
    let config = config.as_str().unwrap();
    assert!(config.contains("proxy_pass https://127.0.0.1:3002/;"), "{config}");
    let console = end("whisker", "whisker", ["", ""], None);
    for file in ["/whisker-key-pair/tls.crt", "/whisker-key-pair/tls.key"] {
        assert!(config.contains(file) && rendered.file(&console, file).contains("BEGIN"), "{file}");
    }
    let server = end("whisker", "whisker-backend", ["SERVER_TLS_CERT_PATH", "SERVER_TLS_KEY_PATH"], None);
    assert!(names(&rendered.certificate(&server)).iter().any(|name| name.contains("127.0.0.1")));
}
