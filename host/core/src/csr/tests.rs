//! Requests that are granted, and forged ones, each of which deviates in one thing.

use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::Pod;
use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyUsagePurpose, SanType,
};
use serde_json::{Value, json};

use super::*;
use crate::env::Randomness as _;
use crate::testing::Fixed;

const USAGES: [&str; 5] = ["server auth", "client auth", "digital signature", "key agreement", "key encipherment"];

/// As a pod of Typha asks.
fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    for (type_, value) in [
        (DnType::CountryName, "US"),
        (DnType::StateOrProvinceName, "California"),
        (DnType::LocalityName, "San Francisco"),
        (DnType::OrganizationName, "Tigera"),
        (DnType::OrganizationalUnitName, "Engineering"),
        (DnType::CommonName, "typha-server"),
    ] {
        params.distinguished_name.push(type_, value);
    }
    params.subject_alt_names = vec![dns("typha-server"), SanType::IpAddress([10, 0, 0, 7].into())];
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages =
        vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment, KeyUsagePurpose::KeyAgreement];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    params
}

fn dns(name: &str) -> SanType {
    SanType::DnsName(name.try_into().unwrap())
}

fn pem(params: &CertificateParams) -> String {
    params.serialize_request(&Fixed::default().key_pair().unwrap()).unwrap().pem().unwrap()
}

fn request(params: &CertificateParams) -> Value {
    json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": "typha-certs:calico-typha-1", "labels": {LABEL: "calico-system"}},
        "spec": {
            "signerName": SIGNER_NAME,
            "usages": USAGES,
            "username": "system:serviceaccount:calico-system:calico-typha",
            "extra": {"authentication.kubernetes.io/pod-name": ["calico-typha-1"],
                "authentication.kubernetes.io/pod-uid": ["1-2-3"]},
            "request": pem(params),
        },
    })
}

fn pod() -> Value {
    json!({
        "metadata": {"name": "calico-typha-1", "namespace": "calico-system", "uid": "1-2-3",
            "labels": {"k8s-app": "calico-typha"}},
        "spec": {"serviceAccountName": "calico-typha", "containers": []},
        "status": {"phase": "Pending", "podIP": "10.0.0.7", "podIPs": [{"ip": "10.0.0.7"}, {"ip": "2001:db8::7"}]},
    })
}

fn typed(mut request: Value) -> CertificateSigningRequest {
    use base64::Engine as _;
    let text = request["spec"]["request"].as_str().unwrap();
    request["spec"]["request"] = base64::engine::general_purpose::STANDARD.encode(text).into();
    serde_json::from_value(request).unwrap()
}

fn all() -> Vec<Applicant> {
    use crate::certificates::{Identity, NODE_NAME, NODE_SECRET, TYPHA_NAME, TYPHA_SECRET};
    vec![
        Applicant::named("calico-typha", Identity::named(TYPHA_SECRET, TYPHA_NAME)),
        Applicant::named("calico-node", Identity::named(NODE_SECRET, NODE_NAME)),
    ]
}

fn answer(request: Value, pod: Value) -> Decision {
    let pod: Option<Pod> = (!pod.is_null()).then(|| serde_json::from_value(pod).unwrap());
    decide(&typed(request), pod.as_ref(), &all())
}

fn refusal(request: Value, pod: Value) -> String {
    match answer(request, pod) {
        Decision::Refused(refusal) => refusal.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pod_gets_the_certificate_of_its_component_for_its_own_address() {
    let Decision::Granted(grant) = answer(request(&params()), pod()) else { panic!("not granted") };
    assert_eq!((grant.identity.common_name.as_str(), grant.identity.secret), ("typha-server", "typha-certs"));
    assert_eq!(grant.identity.dns_names, ["typha-server"]);
    assert_eq!(grant.identity.addresses, ["10.0.0.7".parse::<std::net::IpAddr>().unwrap()]);
    assert_eq!(grant.at_most, None);
    let mut of_v6 = params();
    of_v6.subject_alt_names[1] = SanType::IpAddress("2001:db8::7".parse().unwrap());
    assert!(matches!(answer(request(&of_v6), pod()), Decision::Granted(_)));
}

#[test]
fn a_request_says_how_long_its_certificate_shall_be_good_at_most() {
    let mut asked = request(&params());
    asked["spec"]["expirationSeconds"] = 3600.into();
    let Decision::Granted(grant) = answer(asked, pod()) else { panic!("not granted") };
    assert_eq!(grant.at_most, Some(jiff::SignedDuration::from_hours(1)));
}

#[test]
fn what_is_answered_or_meant_for_somebody_else_is_ignored() {
    let changes: [(&str, Value); 5] = [
        ("/spec/signerName", "example.com/signer".into()),
        ("/metadata/labels", json!({})),
        ("/status", json!({"certificate": "Zm9v"})),
        ("/status", json!({"conditions": [{"type": "Denied", "status": "True"}]})),
        ("/status", json!({"conditions": [{"type": "Failed", "status": "True"}]})),
    ];
    for (pointer, value) in changes {
        let mut request = request(&params());
        request["status"] = json!({});
        *request.pointer_mut(pointer).unwrap() = value;
        assert_eq!(answer(request, pod()), Decision::Ignored, "{pointer}");
    }
}

#[test]
fn a_request_that_is_not_made_by_the_components_own_pod_is_left_alone() {
    let own = "system:serviceaccount:calico-system:calico-typha";
    let changes: [(&str, Value, &str); 12] = [
        ("/spec/username", "system:serviceaccount:default:calico-typha".into(), "it was made by"),
        ("/spec/username", "system:serviceaccount:calico-system:x:calico-typha".into(), "it was made by"),
        ("/spec/username", "system:admin".into(), "it was made by system:admin"),
        ("/spec/username", Value::Null, "it was made by nobody"),
        ("/spec/username", "system:serviceaccount:calico-system:calico-node".into(), "no component"),
        ("/metadata/name", "node-certs:calico-typha-1".into(), "no component"),
        ("/metadata/name", "typha-certs".into(), "its name"),
        ("/metadata/name", "typha-certs:calico-typha-2".into(), "it was not made with the token"),
        ("/spec/extra", json!({}), "it was not made with the token"),
        (
            "/spec/extra/authentication.kubernetes.io~1pod-uid",
            json!(["4-5-6"]),
            "the pod that it was made by is not there",
        ),
        ("/spec/extra/authentication.kubernetes.io~1pod-uid", json!(["1-2-3", "4"]), "it was not made with the token"),
        (
            "/spec/usages",
            json!(["server auth", "client auth", "digital signature", "cert sign"]),
            "it asks for the usages",
        ),
    ];
    assert_eq!(request(&params())["spec"]["username"], own);
    for (pointer, value, why) in changes {
        let mut request = request(&params());
        *request.pointer_mut(pointer).unwrap() = value;
        let told = refusal(request, pod());
        assert!(told.starts_with(why), "{pointer}: {told}");
    }
    for lacking in ["server auth", "client auth", "digital signature"] {
        let mut request = request(&params());
        request["spec"]["usages"].as_array_mut().unwrap().retain(|usage| usage != lacking);
        assert!(refusal(request, pod()).starts_with("it asks for the usages"), "{lacking}");
    }
}

#[test]
fn a_pod_that_is_gone_another_or_at_its_end_gets_nothing() {
    assert!(refusal(request(&params()), Value::Null).starts_with("the pod that it was made by is not there"));
    let changes: [(&str, Value); 4] = [
        ("/spec/serviceAccountName", "default".into()),
        ("/metadata/labels/k8s-app", "sheep".into()),
        ("/status/phase", "Succeeded".into()),
        ("/status/phase", "Failed".into()),
    ];
    for (pointer, value) in changes {
        let mut pod = pod();
        *pod.pointer_mut(pointer).unwrap() = value;
        assert!(
            refusal(request(&params()), pod).starts_with("the pod that it was made by is not a running"),
            "{pointer}"
        );
    }
}

#[test]
fn a_pod_whose_address_is_not_known_yet_is_waited_for() {
    let mut pod = pod();
    pod["status"] = json!({"phase": "Pending"});
    assert!(matches!(answer(request(&params()), pod), Decision::Waiting(_)));
}

/// Changes what is asked for.
type Change = fn(&mut CertificateParams);

#[test]
fn a_request_for_more_or_for_something_else_is_left_alone() {
    let changes: [(&str, Change, &str); 18] = [
        ("subject", |params| params.distinguished_name.push(DnType::CommonName, "typha-client"), "its subject"),
        ("no subject", |params| params.distinguished_name = DistinguishedName::new(), "its subject"),
        ("group", |params| params.distinguished_name.push(DnType::OrganizationName, "system:masters"), "its subject"),
        (
            "attribute",
            |params| params.distinguished_name.push(DnType::CustomDnType(vec![2, 5, 4, 5]), "1"),
            "its subject",
        ),
        ("additional name", |params| params.subject_alt_names.push(dns("kubernetes")), "it asks for the names"),
        ("wildcard", |params| params.subject_alt_names.push(dns("*.calico-system.svc")), "it asks for the names"),
        ("other name", |params| params.subject_alt_names[0] = dns("typha-client"), "it asks for the names"),
        (
            "URI",
            |params| params.subject_alt_names.push(SanType::URI("spiffe://sheep".try_into().unwrap())),
            "it asks for the names",
        ),
        (
            "mail",
            |params| params.subject_alt_names.push(SanType::Rfc822Name("sheep@example.com".try_into().unwrap())),
            "it asks for the names",
        ),
        ("no address", |params| drop(params.subject_alt_names.pop()), "it asks for the addresses"),
        (
            "other address",
            |params| params.subject_alt_names[1] = SanType::IpAddress([10, 0, 0, 8].into()),
            "it asks for the addresses",
        ),
        (
            "more addresses",
            |params| params.subject_alt_names.push(SanType::IpAddress([10, 96, 0, 1].into())),
            "it asks for the addresses",
        ),
        (
            "authority",
            |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
            "it asks for the certificate of",
        ),
        ("signing", |params| params.key_usages.push(KeyUsagePurpose::KeyCertSign), "it asks for usages"),
        ("code", |params| params.extended_key_usages.push(ExtendedKeyUsagePurpose::CodeSigning), "it asks for usages"),
        ("anything", |params| params.extended_key_usages.push(ExtendedKeyUsagePurpose::Any), "it asks for usages"),
        ("one end", |params| params.extended_key_usages.truncate(1), "it asks for usages"),
        (
            "extension",
            |params| params.custom_extensions.push(CustomExtension::from_oid_content(&[1, 2, 3, 4], vec![5, 0])),
            "it asks for an extension",
        ),
    ];
    for (name, change, why) in changes {
        let mut params = params();
        change(&mut params);
        let told = refusal(request(&params), pod());
        assert!(told.starts_with(why), "{name}: {told}");
    }
}

#[test]
fn what_is_not_exactly_one_signed_request_is_left_alone() {
    let good = pem(&params());
    let forged = good.replacen("MII", "MIJ", 1);
    assert_ne!(good, forged);
    let other = {
        let other = Fixed::default();
        other.key_pair().unwrap();
        let other = params().serialize_request(&other.key_pair().unwrap()).unwrap();
        // The content of the one with the signature of the other.
        let (mut der, end) = (other.der().to_vec(), other.der().len() - 64);
        let own = params().serialize_request(&Fixed::default().key_pair().unwrap()).unwrap();
        der.truncate(end);
        der.extend_from_slice(&own.der()[end..]);
        pem::encode(&pem::Pem::new("CERTIFICATE REQUEST", der))
    };
    for (text, why) in [
        (String::new(), "it does not hold exactly one"),
        (format!("{good}{good}"), "it does not hold exactly one"),
        (good.replace("CERTIFICATE REQUEST", "CERTIFICATE"), "it does not hold exactly one"),
        (forged, "what it holds is no certificate request"),
        (other, "its signature cannot be confirmed"),
    ] {
        let mut request = request(&params());
        request["spec"]["request"] = text.into();
        let told = refusal(request, pod());
        assert!(told.starts_with(why), "{told}");
    }
}

mod components {
    use std::collections::BTreeSet;

    use super::*;
    use crate::installation::config::ApiGroup;
    use crate::installation::inputs::InstallationInputs;
    use crate::object::Object;
    use crate::offline::{Files, parts};
    use crate::render::installation::components;

    /// Account, label, Secret, common name and DNS names.
    type Row = (String, String, String, String, BTreeSet<String>);

    fn rendered(api_group: ApiGroup) -> (Vec<Object>, CsrConfig) {
        use base64::Engine as _;
        let ca = include_bytes!("../certificates/testdata/rsa-ca.crt");
        let ca = base64::engine::general_purpose::STANDARD.encode(ca);
        let operator = |kind: &str, spec: Value| json!({"apiVersion": "operator.tigera.io/v1", "kind": kind, "metadata": {"name": "default"}, "spec": spec});
        let objects = [
            operator("Installation", json!({"certificateManagement": {"caCert": ca, "signerName": SIGNER_NAME}})),
            operator("APIServer", json!({})),
            operator("Goldmane", json!({})),
            operator("Whisker", json!({})),
            operator("ManagementClusterConnection", json!({"managementClusterAddr": "meadow:9449"})),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tigera-managed-cluster-connection",
                "namespace": "tigera-operator"}}),
        ];
        let objects: Vec<_> = objects.map(|object| Object::from_value(object).unwrap()).into();
        let mut inputs = InstallationInputs::from_objects(objects.clone()).unwrap();
        inputs.api_group = api_group;
        let fixed = Fixed::default();
        let installation = crate::installation::validate(&inputs, fixed.env()).unwrap();
        let files = Files { objects: &objects, inputs: &inputs, installation: &installation, env: fixed.env() };
        let others = parts(files).unwrap().into_iter().flat_map(|part| part.components);
        let all = components(&installation).unwrap().into_iter().chain(others);
        (all.flat_map(|component| component.objects().to_vec()).collect(), CsrConfig::new(installation))
    }

    fn asking(object: &Object) -> Vec<Row> {
        let Some(pod) = object.pointer("/spec/template/spec") else { return Vec::new() };
        let containers = pod["initContainers"].as_array().cloned().unwrap_or_default();
        let asks = |container: &&Value| container["name"].as_str().unwrap().ends_with("-key-cert-provisioner");
        let row = |container: &Value| {
            let variable = |name: &str| {
                let env = container["env"].as_array().unwrap();
                env.iter().find(|env| env["name"] == name).unwrap()["value"].as_str().unwrap().to_owned()
            };
            let account = pod["serviceAccountName"].as_str().unwrap().to_owned();
            let names = variable("DNS_NAMES").split(',').map(Into::into).collect();
            (account, object.key().name.clone(), variable("SECRET_NAME"), variable("COMMON_NAME"), names)
        };
        containers.iter().filter(asks).map(row).collect()
    }

    #[test]
    fn whoever_asks_is_known_by_exactly_what_it_asks_for_and_nobody_else_is() {
        let (mut asking_pods, mut known) = (BTreeSet::new(), BTreeSet::new());
        for group in [ApiGroup::V1, ApiGroup::V3] {
            let (objects, config) = rendered(group);
            asking_pods.extend(objects.iter().flat_map(asking));
            known.extend(config.applicants.into_iter().map(|Applicant { account, app, identity }| {
                let names: BTreeSet<_> = identity.dns_names.into_iter().collect();
                (account.to_owned(), app.to_owned(), identity.secret.to_owned(), identity.common_name, names)
            }));
        }
        assert_eq!(asking_pods, known);
        assert!(known.len() >= 8, "{known:?}");
    }
}

mod signing {
    use super::*;
    use crate::certificates::{CA_SECRET, RequestSigner, Secrets, Trusted, establish};
    use crate::confidential::Confidential;
    use crate::env::Env;
    use chimera_crds::installation::CertificateManagement;
    use jiff::{SignedDuration, Timestamp};
    use x509_parser::prelude::{FromDer as _, X509Certificate};

    fn ca(env: Env<'_>) -> Confidential {
        let (certificates, _) = establish(&Secrets::new(), &Trusted::default(), None, env).unwrap();
        assert_eq!(certificates.ca.secret_name(), CA_SECRET);
        certificates.ca.operator_secret().unwrap().into()
    }

    fn management(trusted: &str) -> CertificateManagement {
        CertificateManagement {
            ca_cert: k8s_openapi::ByteString(trusted.as_bytes().to_vec()),
            signer_name: SIGNER_NAME.into(),
            key_algorithm: None,
            signature_algorithm: None,
        }
    }

    fn granted() -> Grant {
        let Decision::Granted(grant) = answer(request(&params()), pod()) else { panic!("not granted") };
        *grant
    }

    #[test]
    fn what_is_signed_names_the_component_and_holds_the_pods_own_key() {
        let fixed = Fixed::default();
        let ca = ca(fixed.env());
        let trusted = ca.text("tls.crt").unwrap().to_owned();
        let signer = RequestSigner::new(Some(&ca), &management(&trusted), fixed.env()).unwrap();
        let Grant { identity, public_key, .. } = granted();
        let chain = signer.sign(&identity, &public_key, Some(SignedDuration::from_hours(1)), fixed.env()).unwrap();
        assert_eq!(chain.matches("BEGIN CERTIFICATE").count(), 2);
        let block = pem::parse_many(&chain).unwrap().remove(0);
        let (_, leaf) = X509Certificate::from_der(block.contents()).unwrap();
        assert_eq!(leaf.subject().to_string(), "CN=typha-server");
        assert_eq!(leaf.public_key().raw, public_key);
        assert!(!leaf.is_ca());
        assert_eq!(leaf.validity().not_after.timestamp(), 3600);
        let issuer = pem::parse(trusted).unwrap();
        let (_, issuer) = X509Certificate::from_der(issuer.contents()).unwrap();
        leaf.verify_signature(Some(issuer.public_key())).unwrap();
    }

    #[test]
    fn an_authority_that_is_missing_expired_or_not_trusted_by_pods_signs_nothing() {
        let fixed = Fixed::default();
        let ca = ca(fixed.env());
        let trusted = ca.text("tls.crt").unwrap().to_owned();
        let refused = |secret: Option<&Confidential>, trusted: &str, now: Timestamp| {
            let fixed = Fixed::at(now);
            RequestSigner::new(secret, &management(trusted), fixed.env()).err().unwrap().to_string()
        };
        let now = Timestamp::UNIX_EPOCH;
        assert!(refused(None, &trusted, now).contains("spec.certificateManagement.signerName"));
        let other = include_str!("../certificates/testdata/rsa-ca.crt");
        assert!(refused(Some(&ca), other, now).contains("spec.certificateManagement.caCert"));
        let late = "2200-01-01T00:00:00Z".parse().unwrap();
        assert!(refused(Some(&ca), &trusted, late).contains("expired at"));
    }
}
