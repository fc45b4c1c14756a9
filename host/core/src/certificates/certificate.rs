//! What a certificate says, read from its PEM.

use std::net::IpAddr;

use jiff::Timestamp;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

/// Why a certificate cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// There is no PEM block of a certificate.
    #[error("it holds no certificate in PEM form")]
    NoCertificate,
    /// A block is there but its content is not a certificate.
    #[error("its certificate cannot be parsed")]
    Malformed,
    /// The end of its validity is outside of what can be represented.
    #[error("its certificate expires at a date that cannot be represented")]
    Date,
}

/// What the first certificate of a chain says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Common name of the subject.
    pub(super) subject: String,
    /// Common name of the issuer.
    pub(super) issuer: String,
    /// Names it is good for, as they stand in it.
    pub(super) dns_names: Vec<String>,
    /// Addresses it is good for, as they stand in it.
    pub(super) addresses: Vec<IpAddr>,
    /// Start of its validity.
    pub(super) not_before: Timestamp,
    /// End of its validity.
    pub(super) not_after: Timestamp,
    /// Whether it may sign others.
    pub(super) is_ca: bool,
    /// Its public key as it stands in the certificate, DER.
    pub(super) public_key: Vec<u8>,
}

impl Facts {
    /// Of the first certificate in a text.
    pub(super) fn of(text: &str) -> Result<Self, Error> {
        let der = first(text)?;
        let (_, certificate) = parse_x509_certificate(&der).map_err(|_| Error::Malformed)?;
        let validity = certificate.validity();
        Ok(Self {
            subject: common_name(certificate.subject()),
            issuer: common_name(certificate.issuer()),
            dns_names: other_names(&certificate, dns_name)?,
            addresses: other_names(&certificate, address)?,
            not_before: timestamp(validity.not_before.timestamp())?,
            not_after: timestamp(validity.not_after.timestamp())?,
            is_ca: certificate.is_ca(),
            public_key: certificate.public_key().raw.to_vec(),
        })
    }
}

/// Whether the first certificate of `text` carries a valid signature by the key in the first one of `issuer`.
pub(super) fn is_signed_by(text: &str, issuer: &str) -> Result<bool, Error> {
    let (leaf, issuer) = (first(text)?, first(issuer)?);
    let (_, leaf) = parse_x509_certificate(&leaf).map_err(|_| Error::Malformed)?;
    let (_, issuer) = parse_x509_certificate(&issuer).map_err(|_| Error::Malformed)?;
    Ok(leaf.verify_signature(Some(issuer.public_key())).is_ok())
}

/// DER of the first certificate in a text.
pub(super) fn first(text: &str) -> Result<Vec<u8>, Error> {
    let blocks = pem::parse_many(text).map_err(|_| Error::NoCertificate)?;
    let block = blocks.into_iter().find(|block| block.tag() == "CERTIFICATE");
    Ok(block.ok_or(Error::NoCertificate)?.into_contents())
}

/// Every certificate of a text, PEM, as the operator writes it; what cannot be read is left out.
pub(super) fn each(text: &str) -> Vec<String> {
    let config = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
    let blocks = pem::parse_many(text).unwrap_or_default();
    let certificates = blocks.iter().filter(|block| block.tag() == "CERTIFICATE");
    certificates.map(|block| pem::encode_config(&pem::Pem::new(block.tag(), block.contents()), config)).collect()
}

fn timestamp(seconds: i64) -> Result<Timestamp, Error> {
    Timestamp::from_second(seconds).map_err(|_| Error::Date)
}

fn common_name(name: &x509_parser::x509::X509Name<'_>) -> String {
    name.iter_common_name().find_map(|part| part.as_str().ok()).unwrap_or_default().to_owned()
}

/// What each of the certificate's other names makes.
fn other_names<T>(
    certificate: &X509Certificate<'_>,
    of: impl Fn(&GeneralName<'_>) -> Option<T>,
) -> Result<Vec<T>, Error> {
    let extension = certificate.subject_alternative_name().map_err(|_| Error::Malformed)?;
    let names = extension.iter().flat_map(|extension| &extension.value.general_names);
    Ok(names.filter_map(of).collect())
}

fn dns_name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    }
}

fn address(name: &GeneralName<'_>) -> Option<IpAddr> {
    let GeneralName::IPAddress(bytes) = name else { return None };
    let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from)).ok()
}
