//! Reading a private key from its PEM.

use pem::Pem;

/// Why a private key cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// There is no PEM block of a private key.
    #[error("it holds no private key in PEM form")]
    NoKey,
    /// Nobody can tell the operator the passphrase.
    #[error("its private key is encrypted; store it without a passphrase")]
    Encrypted,
    /// A form that the signing library does not read.
    #[error(
        "its private key is a {0}, which the operator cannot sign with; convert it by `openssl pkcs8 -topk8 -nocrypt`"
    )]
    Form(String),
    /// The content does not fit the form, or the algorithm is not known.
    #[error("its private key cannot be read; use RSA of at least 2048 bits, ECDSA on P-256 or P-384, or Ed25519")]
    Malformed(#[source] rcgen::Error),
}

/// Reads the first private key of a text: PKCS#8, or RSA as PKCS#1.
pub(super) fn read(text: &str) -> Result<rcgen::KeyPair, Error> {
    let block = block(text)?;
    let der = match block.tag() {
        "PRIVATE KEY" => block.into_contents(),
        "RSA PRIVATE KEY" => wrap_rsa(block.contents()),
        form => return Err(Error::Form(form.to_owned())),
    };
    rcgen::KeyPair::try_from(der.as_slice()).map_err(Error::Malformed)
}

/// Checks that a text holds a private key, in whichever form.
pub(super) fn check(text: &str) -> Result<(), Error> {
    block(text).map(drop)
}

fn block(text: &str) -> Result<Pem, Error> {
    let blocks = pem::parse_many(text).map_err(|_| Error::NoKey)?;
    let block = blocks.into_iter().find(|block| block.tag().ends_with("PRIVATE KEY")).ok_or(Error::NoKey)?;
    let encrypted = block.tag().starts_with("ENCRYPTED") || block.headers().get("DEK-Info").is_some();
    if encrypted { Err(Error::Encrypted) } else { Ok(block) }
}

/// Puts an RSA key of PKCS#1 into PKCS#8's frame, the only one that the signing library reads.
fn wrap_rsa(key: &[u8]) -> Vec<u8> {
    /// Version 0; algorithm rsaEncryption (1.2.840.113549.1.1.1) without parameters.
    const HEAD: &[u8] =
        &[0x02, 0x01, 0x00, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
    const OCTET_STRING: u8 = 0x04;
    const SEQUENCE: u8 = 0x30;
    tagged(SEQUENCE, &[HEAD, &tagged(OCTET_STRING, key)].concat())
}

/// DER: tag, length, content.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let digits: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
    let mut out = vec![tag];
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => out.push(short),
        // The first byte says how many bytes of length follow; a length in memory has at most 8.
        _ => out.push(0x80 | u8::try_from(digits.len()).unwrap_or_default()),
    }
    if length >= 0x80 {
        out.extend(digits);
    }
    out.extend(content);
    out
}
