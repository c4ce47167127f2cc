//! Certificates of a host that exists only while a test runs: a root, and those that it signs.
//! Generated for each test, so that the repository contains no private key.

use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT: u8 = 0x06;
const UTF8: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const TRUE: [u8; 3] = [0x01, 0x01, 0xff];

const ED25519: [u8; 3] = [0x2b, 0x65, 0x70];
const COMMON_NAME: [u8; 3] = [0x55, 0x04, 0x03];
const BASIC_CONSTRAINTS: [u8; 3] = [0x55, 0x1d, 0x13];
const ALTERNATIVE_NAME: [u8; 3] = [0x55, 0x1d, 0x11];

/// Beginning and end of the validity of a certificate.
pub type Validity = (&'static str, &'static str);
pub const NOW: Validity = ("200101000000Z", "490101000000Z");
pub const LONG_AGO: Validity = ("100101000000Z", "110101000000Z");

/// A certificate and its private key.
pub struct IssuedCertificate {
    pub certificate: Vec<u8>,
    pub private_key: Vec<u8>,
}

/// A root certificate that signs others.
pub struct RootCertificate {
    key: Ed25519KeyPair,
    pub certificate: Vec<u8>,
}

impl RootCertificate {
    pub fn new() -> Self {
        let (key, _) = generate_key();
        let extension = extension(&BASIC_CONSTRAINTS, true, &der_value(SEQUENCE, &TRUE));
        let certificate = certificate(&key, &key, "a root", &extension, NOW);
        Self { key, certificate }
    }

    /// Issues a certificate for a host of this name.
    pub fn issue(&self, host: &str, validity: Validity) -> IssuedCertificate {
        let (key, private_key) = generate_key();
        // Context tag 2 of a general name is a DNS name.
        let names = der_value(SEQUENCE, &der_value(0x82, host.as_bytes()));
        let extension = extension(&ALTERNATIVE_NAME, false, &names);
        IssuedCertificate {
            certificate: certificate(&key, &self.key, host, &extension, validity),
            private_key,
        }
    }
}

fn generate_key() -> (Ed25519KeyPair, Vec<u8>) {
    let private = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap().as_ref().to_vec();
    (Ed25519KeyPair::from_pkcs8(&private).unwrap(), private)
}

/// Encodes an X.509 certificate, version 3.
fn certificate(
    of: &Ed25519KeyPair,
    by: &Ed25519KeyPair,
    name: &str,
    extension: &[u8],
    validity: Validity,
) -> Vec<u8> {
    let algorithm = der_value(SEQUENCE, &der_value(OBJECT, &ED25519));
    let validity =
        [der_value(UTC_TIME, validity.0.as_bytes()), der_value(UTC_TIME, validity.1.as_bytes())]
            .concat();
    let key = [algorithm.clone(), bit_string(of.public_key().as_ref())].concat();
    let fields = [
        der_value(0xa0, &der_value(INTEGER, &[2])),
        der_value(INTEGER, &[1]),
        algorithm.clone(),
        distinguished_name("a root"),
        der_value(SEQUENCE, &validity),
        distinguished_name(name),
        der_value(SEQUENCE, &key),
        der_value(0xa3, &der_value(SEQUENCE, extension)),
    ];
    let body = der_value(SEQUENCE, &fields.concat());
    let signature = bit_string(by.sign(&body).as_ref());
    der_value(SEQUENCE, &[body, algorithm, signature].concat())
}

fn distinguished_name(name: &str) -> Vec<u8> {
    let pair = [der_value(OBJECT, &COMMON_NAME), der_value(UTF8, name.as_bytes())].concat();
    der_value(SEQUENCE, &der_value(SET, &der_value(SEQUENCE, &pair)))
}

fn extension(id: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if critical { TRUE.to_vec() } else { Vec::new() };
    der_value(SEQUENCE, &[der_value(OBJECT, id), critical, der_value(OCTET_STRING, value)].concat())
}

/// Encodes bytes as a bit string without unused bits.
fn bit_string(bytes: &[u8]) -> Vec<u8> {
    der_value(BIT_STRING, &[&[0], bytes].concat())
}

/// Encodes a DER value: tag, length, value.
fn der_value(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = value.len();
    let head = match u8::try_from(length) {
        Ok(short @ 0..=127) => vec![tag, short],
        Ok(long) => vec![tag, 0x81, long],
        Err(_) => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, value.to_vec()].concat()
}
