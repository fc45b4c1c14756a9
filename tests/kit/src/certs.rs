//! Certificates of a control plane. One authority signs them all.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// Common name of the certificate with which kube-apiserver vouches for users to aggregated servers. Nobody else may.
pub(crate) const FRONT_PROXY: &str = "front-proxy-client";

/// Names and addresses of etcd and kube-apiserver.
const SERVER_NAMES: [&str; 6] = [
    "127.0.0.1",
    "localhost",
    "10.96.0.1",
    "kubernetes",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// A certificate and its key as PEM.
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// The authority, and the directory with the files that the processes read.
pub(crate) struct Certs {
    dir: PathBuf,
    ca: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Certs {
    /// Makes the authority and writes the files into `dir`.
    pub(crate) fn create(dir: PathBuf) -> Result<Self> {
        fs::create_dir_all(&dir).with_context(|| format!("failed to create {}", dir.display()))?;
        let (ca, issuer) = authority().context("failed to make the certificate authority")?;
        let key = issuer.key().serialize_pem();
        let certs = Self { dir, ca: ca.clone(), issuer };
        certs.write("ca", &Pair { certificate: ca, key })?;
        let names = SERVER_NAMES.map(str::to_owned).to_vec();
        certs.write("server", &certs.sign("server", &[], names, ExtendedKeyUsagePurpose::ServerAuth)?)?;
        certs.write("front-proxy", &certs.client(FRONT_PROXY, &[])?)?;
        let accounts = KeyPair::generate().context("failed to make the key of service accounts")?;
        certs.write_file("service-accounts.key", &accounts.serialize_pem())?;
        certs.write_file("service-accounts.pub", &accounts.public_key_pem())?;
        Ok(certs)
    }

    /// A client certificate: the user is its common name, the groups (at most two) its organizations.
    pub(crate) fn client(&self, user: &str, groups: &[&str]) -> Result<Pair> {
        ensure!(groups.len() <= 2, "a user can be in two groups at most here, {user} would be in {}", groups.len());
        self.sign(user, groups, Vec::new(), ExtendedKeyUsagePurpose::ClientAuth)
    }

    /// The authority's certificate as PEM.
    pub(crate) fn ca(&self) -> &str {
        &self.ca
    }

    /// Where a file lies, as an argument of a command.
    pub(crate) fn file(&self, name: &str) -> String {
        self.dir.join(name).display().to_string()
    }

    fn sign(&self, name: &str, groups: &[&str], names: Vec<String>, usage: ExtendedKeyUsagePurpose) -> Result<Pair> {
        let sign = || {
            let mut params = CertificateParams::new(names)?;
            params.distinguished_name = subject(name, groups);
            params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
            params.extended_key_usages = vec![usage];
            params.use_authority_key_identifier_extension = true;
            let key = KeyPair::generate()?;
            let certificate = params.signed_by(&key, &self.issuer)?.pem();
            Ok::<_, rcgen::Error>(Pair { certificate, key: key.serialize_pem() })
        };
        sign().with_context(|| format!("failed to make the certificate of {name}"))
    }

    fn write(&self, name: &str, pair: &Pair) -> Result<()> {
        self.write_file(&format!("{name}.crt"), &pair.certificate)?;
        self.write_file(&format!("{name}.key"), &pair.key)
    }

    fn write_file(&self, name: &str, text: &str) -> Result<()> {
        write(&self.dir.join(name), text)
    }
}

/// Writes a file, naming it if that fails. The directory above all of them is the user's alone.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))
}

fn authority() -> Result<(String, Issuer<'static, KeyPair>), rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name = subject("kubernetes", &[]);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?.pem();
    Ok((certificate, Issuer::new(params, key)))
}

/// `rcgen` keeps one value an attribute, but takes an attribute by name and by number for two.
fn subject(name: &str, groups: &[&str]) -> DistinguishedName {
    const ORGANIZATION: [u64; 4] = [2, 5, 4, 10];
    let mut subject = DistinguishedName::new();
    let attributes = [DnType::OrganizationName, DnType::CustomDnType(ORGANIZATION.to_vec())];
    for (attribute, group) in attributes.into_iter().zip(groups) {
        subject.push(attribute, *group);
    }
    subject.push(DnType::CommonName, name);
    subject
}
