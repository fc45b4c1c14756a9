//! What a request carries (PKCS#10), and whether that is what its component asks for, no more and no less.

use std::collections::BTreeSet;
use std::net::IpAddr;

use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::cri_attributes::ParsedCriAttribute;
use x509_parser::extensions::{ExtendedKeyUsage, GeneralName, ParsedExtension};
use x509_parser::oid_registry::{
    OID_X509_COMMON_NAME, OID_X509_COUNTRY_NAME, OID_X509_LOCALITY_NAME, OID_X509_ORGANIZATION_NAME,
    OID_X509_ORGANIZATIONAL_UNIT, OID_X509_STATE_OR_PROVINCE_NAME, Oid,
};
use x509_parser::prelude::FromDer as _;
use x509_parser::x509::X509Name;

use crate::certificates::Identity;

/// Bits of a key usage that certificates of components may have: digital signature, key encipherment, key agreement.
const KEY_USAGES: u16 = 0b1_0101;

/// What pods fill in besides their name. None of it gets into a certificate.
fn trimmings() -> [(Oid<'static>, &'static str); 5] {
    [
        (OID_X509_COUNTRY_NAME, "US"),
        (OID_X509_STATE_OR_PROVINCE_NAME, "California"),
        (OID_X509_LOCALITY_NAME, "San Francisco"),
        (OID_X509_ORGANIZATION_NAME, "Tigera"),
        (OID_X509_ORGANIZATIONAL_UNIT, "Engineering"),
    ]
}

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is not exactly one PEM block of a request.
    #[error("it does not hold exactly one request in PEM form")]
    Form,
    /// The block is no request.
    #[error("what it holds is no certificate request (PKCS#10)")]
    Malformed,
    /// The requester has not shown to have the key.
    #[error(
        "its signature cannot be confirmed; the operator's signer takes RSA keys of 2048 to 8192 bits and ECDSA keys on \
         P-256 (with SHA-256) and P-384 (with SHA-384)"
    )]
    Signature,
    /// It carries more than a name, a key and extensions.
    #[error("it carries an attribute besides its extensions")]
    Attribute,
    /// The subject is another.
    #[error("its subject is {0}, not that of its component")]
    Subject(String),
    /// It names others.
    #[error("it asks for the names {0}, not for those of its component")]
    Names(String),
    /// It names other addresses.
    #[error("it asks for the addresses {0}, not for one of its pod")]
    Addresses(String),
    /// It wants to sign others.
    #[error("it asks for the certificate of an authority (CA:TRUE)")]
    Authority,
    /// It wants to do something else.
    #[error("it asks for usages that components have no need of")]
    Usages,
    /// It has an extension that components do not ask for.
    #[error("it asks for an extension that components do not ask for, or for one twice")]
    Extension,
}

/// What a request carries, with its form and its signature checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    public_key: Vec<u8>,
    subject: String,
    common_names: Vec<String>,
    has_strange_subject: bool,
    dns_names: Vec<String>,
    addresses: Vec<IpAddr>,
}

impl Contents {
    /// Reads it.
    pub(super) fn of(request: &[u8]) -> Result<Self, Error> {
        let der = block(request)?;
        let (rest, request) = X509CertificationRequest::from_der(&der).map_err(|_| Error::Malformed)?;
        if !rest.is_empty() {
            return Err(Error::Malformed);
        }
        request.verify_signature().map_err(|_| Error::Signature)?;
        let info = &request.certification_request_info;
        let mut contents = Self {
            public_key: info.subject_pki.raw.to_vec(),
            subject: info.subject.to_string(),
            common_names: info.subject.iter_common_name().map(|name| text(name.as_str())).collect(),
            has_strange_subject: is_strange(&info.subject),
            ..Self::default()
        };
        contents.extensions(&request)?;
        Ok(contents)
    }

    /// Takes up the extensions; each at most once, and none that says more than a component does.
    fn extensions(&mut self, request: &X509CertificationRequest<'_>) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        let attributes = request.certification_request_info.attributes();
        if attributes.len() > 1 {
            return Err(Error::Attribute);
        }
        for attribute in attributes {
            let ParsedCriAttribute::ExtensionRequest(requested) = attribute.parsed_attribute() else {
                return Err(Error::Attribute);
            };
            for extension in &requested.extensions {
                if !seen.insert(extension.oid.to_id_string()) {
                    return Err(Error::Extension);
                }
                self.extension(extension.parsed_extension())?;
            }
        }
        Ok(())
    }

    fn extension(&mut self, extension: &ParsedExtension<'_>) -> Result<(), Error> {
        match extension {
            ParsedExtension::BasicConstraints(constraints) if constraints.ca => Err(Error::Authority),
            ParsedExtension::BasicConstraints(_) => Ok(()),
            ParsedExtension::KeyUsage(usage) if usage.flags & !KEY_USAGES != 0 => Err(Error::Usages),
            ParsedExtension::KeyUsage(_) => Ok(()),
            ParsedExtension::ExtendedKeyUsage(usage) if is_of_both_ends(usage) => Ok(()),
            ParsedExtension::ExtendedKeyUsage(_) => Err(Error::Usages),
            ParsedExtension::SubjectAlternativeName(names) => {
                names.general_names.iter().try_for_each(|name| self.other_name(name))
            }
            _ => Err(Error::Extension),
        }
    }

    fn other_name(&mut self, name: &GeneralName<'_>) -> Result<(), Error> {
        match name {
            GeneralName::DNSName(name) => self.dns_names.push((*name).to_owned()),
            GeneralName::IPAddress(bytes) => {
                let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
                let address = four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from));
                self.addresses.push(address.map_err(|_| Error::Malformed)?);
            }
            other => return Err(Error::Names(other.to_string())),
        }
        Ok(())
    }

    /// Checks that it names its component, one address of its pod, and nobody else.
    pub(super) fn check(&self, identity: &Identity, addresses: &[IpAddr]) -> Result<(), Error> {
        if self.has_strange_subject || self.common_names != [identity.common_name.clone()] {
            return Err(Error::Subject(self.subject.clone()));
        }
        let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        if set(&self.dns_names) != set(&identity.dns_names) {
            return Err(Error::Names(self.dns_names.join(", ")));
        }
        match self.addresses.as_slice() {
            [address] if addresses.contains(address) => Ok(()),
            other => Err(Error::Addresses(other.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))),
        }
    }

    /// Addresses that it asks for.
    pub(super) fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// The key, DER.
    pub(super) fn into_public_key(self) -> Vec<u8> {
        self.public_key
    }
}

/// DER of the only block.
fn block(request: &[u8]) -> Result<Vec<u8>, Error> {
    let mut blocks = pem::parse_many(request).map_err(|_| Error::Form)?;
    let block = blocks.pop().filter(|block| blocks.is_empty() && block.tag() == "CERTIFICATE REQUEST");
    block.map(pem::Pem::into_contents).ok_or(Error::Form)
}

/// Whether there is anything in a subject besides a common name and what pods usually fill in.
fn is_strange(subject: &X509Name<'_>) -> bool {
    let trimmings = trimmings();
    subject.iter_attributes().any(|attribute| {
        let (type_, value) = (attribute.attr_type(), text(attribute.as_str()));
        *type_ != OID_X509_COMMON_NAME && !trimmings.iter().any(|(known, usual)| known == type_ && *usual == value)
    })
}

/// A text of another kind than usual is none that a component has.
fn text<E>(text: Result<&str, E>) -> String {
    text.unwrap_or_default().to_owned()
}

fn is_of_both_ends(usage: &ExtendedKeyUsage<'_>) -> bool {
    let ExtendedKeyUsage {
        any,
        server_auth,
        client_auth,
        code_signing,
        email_protection,
        time_stamping,
        ocsp_signing,
        other,
    } = usage;
    *server_auth
        && *client_auth
        && !(*any || *code_signing || *email_protection || *time_stamping || *ocsp_signing)
        && other.is_empty()
}
