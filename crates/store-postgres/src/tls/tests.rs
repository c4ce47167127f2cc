//! Handshakes in memory with a server whose certificate is of version 1, as Citus makes them.

use super::{RustlsFactory, TlsMode, TrustedRoots};
use rustls::crypto::ring::{default_provider, sign::any_supported_type};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ClientConnection, ServerConfig, ServerConnection};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::PathBuf;
use std::sync::Arc;

const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tls/data/version1.crt");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tls/data/version1.key");

/// Presents one certificate without looking at it.
#[derive(Debug)]
struct OneCertificate(Arc<CertifiedKey>);

impl ResolvesServerCert for OneCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

/// Shakes hands with the server, and returns the problem if it fails.
fn shake_hands(mode: &TlsMode) -> Result<(), String> {
    let key = any_supported_type(&PrivateKeyDer::from_pem_file(KEY).unwrap()).unwrap();
    let certificate = CertificateDer::from_pem_file(CERTIFICATE).unwrap();
    let certified = Arc::new(CertifiedKey::new(vec![certificate], key));
    let server = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(OneCertificate(certified)));
    let mut server = ServerConnection::new(Arc::new(server)).unwrap();
    let client = RustlsFactory::new(mode).map_err(|error| error.to_string())?.config;
    let mut client = ClientConnection::new(client, "db.example".try_into().unwrap()).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        let mut sent = Vec::new();
        client.write_tls(&mut sent).unwrap();
        server.read_tls(&mut &*sent).unwrap();
        server.process_new_packets().map_err(|error| error.to_string())?;
        let mut sent = Vec::new();
        server.write_tls(&mut sent).unwrap();
        client.read_tls(&mut &*sent).unwrap();
        client.process_new_packets().map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[test]
fn a_certificate_of_version_1_will_do_where_none_is_checked() {
    assert_eq!(shake_hands(&TlsMode::Prefer), Ok(()));
    assert_eq!(shake_hands(&TlsMode::Require), Ok(()));
}

#[test]
fn a_certificate_of_version_1_is_refused_where_its_authority_is_checked() {
    for roots in [TrustedRoots::Public, TrustedRoots::File(PathBuf::from(CERTIFICATE))] {
        assert!(shake_hands(&TlsMode::VerifyAuthority(roots.clone())).is_err());
        assert!(shake_hands(&TlsMode::VerifyFull(roots)).is_err());
    }
}
