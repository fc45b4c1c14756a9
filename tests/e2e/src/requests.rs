//! Certificate signing requests as pods of Calico make them: with the token of their ServiceAccount that is bound to them.

use anyhow::{Context as _, Result};
use chimera_kit::ControlPlane;
use k8s_openapi::ByteString;
use k8s_openapi::api::authentication::v1::{BoundObjectReference, TokenRequest, TokenRequestSpec};
use k8s_openapi::api::certificates::v1::{CertificateSigningRequest, CertificateSigningRequestSpec};
use k8s_openapi::api::core::v1::{Pod, Secret, ServiceAccount};
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::{Api, Client, Config};
use rcgen::{CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, SanType};
use serde_json::{Value, json};

use crate::cluster::DEADLINE;

/// The signer whose requests the operator answers.
pub const OWN_SIGNER: &str = "tigera.io/operator-signer";

/// What a pod asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Name of the request.
    pub name: String,
    /// Whom it is for.
    pub signer: String,
    /// Names of the certificate; the first one is that of its subject.
    pub dns_names: Vec<String>,
    /// Its address.
    pub address: String,
}

impl Asked {
    /// What a pod of a component asks for.
    pub fn by(pod: &Pod, secret: &str, dns_name: &str) -> Self {
        let name = pod.metadata.name.clone().unwrap_or_default();
        let status = pod.status.as_ref().and_then(|status| status.pod_ip.clone());
        Self {
            name: format!("{secret}:{name}"),
            signer: OWN_SIGNER.into(),
            dns_names: vec![dns_name.into()],
            address: status.unwrap_or_default(),
        }
    }

    fn request(&self) -> Result<CertificateSigningRequest> {
        let usages = ["server auth", "client auth", "digital signature", "key agreement", "key encipherment"];
        Ok(CertificateSigningRequest {
            metadata: ObjectMeta {
                name: Some(self.name.clone()),
                labels: Some([("operator.tigera.io/csr".to_owned(), "calico-system".to_owned())].into()),
                ..ObjectMeta::default()
            },
            spec: CertificateSigningRequestSpec {
                request: ByteString(self.contents()?.into_bytes()),
                signer_name: self.signer.clone(),
                usages: Some(usages.map(Into::into).into()),
                ..CertificateSigningRequestSpec::default()
            },
            status: None,
        })
    }

    fn contents(&self) -> Result<String> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, self.dns_names.first().cloned().unwrap_or_default());
        let names = self.dns_names.iter().map(|name| Ok(SanType::DnsName(name.as_str().try_into()?)));
        params.subject_alt_names = names.collect::<Result<_>>()?;
        params.subject_alt_names.push(SanType::IpAddress(self.address.parse().context("a pod has an address")?));
        params.is_ca = IsCa::ExplicitNoCa;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.serialize_request(&KeyPair::generate()?)?.pem().context("failed to write a request")
    }
}

/// A pod of a component that has an address.
pub async fn pod(cluster: &ControlPlane, app: &str) -> Result<Pod> {
    let pods: Api<Pod> = Api::namespaced(cluster.client(), "calico-system");
    let params = ListParams::default().labels(&format!("k8s-app={app}"));
    let found = || async {
        let all = pods.list(&params).await?.items;
        let has_address = |pod: &Pod| pod.status.as_ref().is_some_and(|status| status.pod_ip.is_some());
        Ok(all.into_iter().find(|pod| pod.metadata.deletion_timestamp.is_none() && has_address(pod)))
    };
    cluster.wait_for(&format!("a pod of {app} with an address"), DEADLINE, found).await
}

/// Makes a request as this pod; once it may.
pub async fn ask(cluster: &ControlPlane, pod: &Pod, asked: &Asked) -> Result<CertificateSigningRequest> {
    let api: Api<CertificateSigningRequest> = Api::all(client_of(cluster, pod).await?);
    let request = asked.request()?;
    let made = || async {
        match api.create(&PostParams::default(), &request).await {
            Err(kube::Error::Api(status)) if status.code == 403 => Ok(None),
            made => Ok(Some(made?)),
        }
    };
    cluster.wait_for(&format!("{} to be taken", asked.name), DEADLINE, made).await
}

/// Has a pod of a component ask for its certificate, until one has got it: pods are replaced meanwhile.
pub async fn obtain(cluster: &ControlPlane, app: &str, secret: &str, dns_name: &str) -> Result<()> {
    let requests: Api<CertificateSigningRequest> = Api::all(cluster.client());
    let obtained = || async {
        let pod = pod(cluster, app).await?;
        let asked = Asked::by(&pod, secret, dns_name);
        let request = match requests.get_opt(&asked.name).await? {
            Some(request) => request,
            None => ask(cluster, &pod, &asked).await?,
        };
        Ok(request.status.and_then(|status| status.certificate).map(drop))
    };
    cluster.wait_for(&format!("a pod of {app} to get its certificate"), DEADLINE, obtained).await
}

/// Makes the same request as an administrator.
pub async fn ask_as_administrator(cluster: &ControlPlane, asked: &Asked) -> Result<CertificateSigningRequest> {
    let api: Api<CertificateSigningRequest> = Api::all(cluster.client());
    api.create(&PostParams::default(), &asked.request()?).await.context("failed to make a request")
}

/// A client with the token that a pod has.
async fn client_of(cluster: &ControlPlane, pod: &Pod) -> Result<Client> {
    let account = pod.spec.as_ref().and_then(|spec| spec.service_account_name.clone()).unwrap_or_default();
    let accounts: Api<ServiceAccount> = Api::namespaced(cluster.client(), "calico-system");
    let bound = BoundObjectReference {
        api_version: Some("v1".into()),
        kind: Some("Pod".into()),
        name: pod.metadata.name.clone(),
        uid: pod.metadata.uid.clone(),
    };
    let spec = TokenRequestSpec { bound_object_ref: Some(bound), ..TokenRequestSpec::default() };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let token = accounts.create_token_request(&account, &PostParams::default(), &request).await?;
    let mut config = Config::new(cluster.url().parse()?);
    config.accept_invalid_certs = true;
    config.auth_info.token = token.status.and_then(|status| status.token).map(Into::into);
    Ok(Client::try_from(config)?)
}

/// The part of an Installation's spec that has pods ask the operator for their certificates.
pub async fn management(cluster: &ControlPlane) -> Result<Value> {
    let secrets: Api<Secret> = Api::namespaced(cluster.client(), "tigera-operator");
    let certificate = || async {
        let secret = secrets.get_opt("tigera-ca-private").await?;
        Ok(secret.and_then(|secret| secret.data?.get("tls.crt").cloned()))
    };
    let certificate = cluster.wait_for("the operator's authority", DEADLINE, certificate).await?;
    Ok(json!({
        "caCert": certificate,
        "signerName": OWN_SIGNER,
        "keyAlgorithm": "ECDSAWithCurve256",
        "signatureAlgorithm": "ECDSAWithSHA256",
    }))
}
