//! Certificates and TLS.

use k8s_openapi::ByteString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Certificates by CertificateSigningRequest instead of by the operator's own authority.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateManagement {
    /// Certificate of the authority that signs the requests, PEM, in base64.
    #[schemars(schema_with = "base64")]
    pub ca_cert: ByteString,

    /// The signer that requests are addressed to, such as `example.com/calico`.
    pub signer_name: String,

    /// Kind of the key that a pod makes for itself. Default: RSAWithSize2048.
    pub key_algorithm: Option<KeyAlgorithm>,

    /// Algorithm by which a pod signs its request; it must fit the key. Default: SHA256WithRSA.
    pub signature_algorithm: Option<SignatureAlgorithm>,
}

/// Bytes, as JSON carries them.
fn base64(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "format": "byte" })
}

/// Kind of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum KeyAlgorithm {
    /// The default.
    #[serde(rename = "")]
    Unset,
    /// RSA, 2048 bits.
    #[serde(rename = "RSAWithSize2048")]
    Rsa2048,
    /// RSA, 4096 bits.
    #[serde(rename = "RSAWithSize4096")]
    Rsa4096,
    /// RSA, 8192 bits.
    #[serde(rename = "RSAWithSize8192")]
    Rsa8192,
    /// Elliptic curve P-256.
    #[serde(rename = "ECDSAWithCurve256")]
    Ecdsa256,
    /// Elliptic curve P-384.
    #[serde(rename = "ECDSAWithCurve384")]
    Ecdsa384,
    /// Elliptic curve P-521.
    #[serde(rename = "ECDSAWithCurve521")]
    Ecdsa521,
}

/// Algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum SignatureAlgorithm {
    /// The default.
    #[serde(rename = "")]
    Unset,
    /// RSA over SHA-256.
    #[serde(rename = "SHA256WithRSA")]
    Sha256Rsa,
    /// RSA over SHA-384.
    #[serde(rename = "SHA384WithRSA")]
    Sha384Rsa,
    /// RSA over SHA-512.
    #[serde(rename = "SHA512WithRSA")]
    Sha512Rsa,
    /// ECDSA over SHA-256.
    #[serde(rename = "ECDSAWithSHA256")]
    EcdsaSha256,
    /// ECDSA over SHA-384.
    #[serde(rename = "ECDSAWithSHA384")]
    EcdsaSha384,
    /// ECDSA over SHA-512.
    #[serde(rename = "ECDSAWithSHA512")]
    EcdsaSha512,
}

/// The lowest version of TLS that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum TlsMinVersion {
    /// TLS 1.2 and later.
    #[serde(rename = "1.2")]
    V1_2,
    /// TLS 1.3 and later.
    #[serde(rename = "1.3")]
    V1_3,
}

impl TlsMinVersion {
    /// As it stands in the resource, such as `1.2`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
        }
    }
}

/// One cipher suite.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TlsCipherSuite {
    /// The suite's IANA name.
    pub name: Option<TlsCipherSuiteName>,
}

macro_rules! cipher_suites {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// The cipher suites that Calico's components know.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
        #[allow(missing_docs, reason = "the IANA name says all there is to say")]
        pub enum TlsCipherSuiteName {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl TlsCipherSuiteName {
            /// The suite's IANA name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

cipher_suites! {
    Aes256GcmSha384 = "TLS_AES_256_GCM_SHA384",
    Chacha20Poly1305Sha256 = "TLS_CHACHA20_POLY1305_SHA256",
    Aes128GcmSha256 = "TLS_AES_128_GCM_SHA256",
    EcdheEcdsaAes256GcmSha384 = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    EcdheRsaAes256GcmSha384 = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    EcdheRsaChacha20Poly1305Sha256 = "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    EcdheEcdsaChacha20Poly1305Sha256 = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    EcdheRsaAes128GcmSha256 = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    EcdheEcdsaAes128GcmSha256 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    RsaAes256GcmSha384 = "TLS_RSA_WITH_AES_256_GCM_SHA384",
    RsaAes128GcmSha256 = "TLS_RSA_WITH_AES_128_GCM_SHA256",
    EcdheEcdsaAes256CbcSha = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    EcdheRsaAes256CbcSha = "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    EcdheRsaAes128CbcSha = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
}

impl TlsCipherSuiteName {
    /// Whether it is one of TLS 1.3; such a suite names no key exchange. The others are of earlier versions.
    #[must_use]
    pub fn is_of_tls_1_3(self) -> bool {
        matches!(self, Self::Aes256GcmSha384 | Self::Chacha20Poly1305Sha256 | Self::Aes128GcmSha256)
    }
}
