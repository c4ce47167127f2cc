//! TLS to the database through rustls. The modes are those of libpq: `require` encrypts without
//! knowing the other side, `verify-ca` checks the certificate's authority, and `verify-full` the
//! name of the host too.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_cert_signed_by_trust_anchor};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use store::StoreError;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;

/// The kind of protection that an address asks for.
#[derive(Debug, Clone)]
pub(crate) enum TlsMode {
    Disable,
    /// TLS where the server offers it.
    Prefer,
    Require,
    VerifyAuthority(TrustedRoots),
    VerifyFull(TrustedRoots),
}

/// The certificate authorities that are trusted.
#[derive(Debug, Clone)]
pub(crate) enum TrustedRoots {
    /// Those that browsers trust.
    Public,
    File(PathBuf),
}

/// Makes TLS connections for the driver.
#[derive(Clone)]
pub(crate) struct RustlsFactory {
    config: Arc<ClientConfig>,
}

impl RustlsFactory {
    /// Prepares the connections of a mode.
    pub(crate) fn new(mode: &TlsMode) -> Result<Self, StoreError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| failed(error.to_string()))?;
        let verifier: Arc<dyn ServerCertVerifier> = match mode {
            TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => {
                Arc::new(EncryptionOnly(provider))
            }
            TlsMode::VerifyAuthority(roots) => {
                Arc::new(AuthorityOnly { roots: roots.load()?, provider })
            }
            TlsMode::VerifyFull(roots) => {
                let roots = Arc::new(roots.load()?);
                WebPkiServerVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(|error| failed(error.to_string()))?
            }
        };
        let config = builder.dangerous().with_custom_certificate_verifier(verifier);
        Ok(Self { config: Arc::new(config.with_no_client_auth()) })
    }
}

impl TrustedRoots {
    fn load(&self) -> Result<RootCertStore, StoreError> {
        let mut store = RootCertStore::empty();
        match self {
            Self::Public => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Self::File(file) => {
                let problem = |error: &dyn std::fmt::Display| {
                    failed(format!("reading certificates of {}: {error}", file.display()))
                };
                let certificates = CertificateDer::pem_file_iter(file).map_err(|e| problem(&e))?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|error| problem(&error))?;
                    store.add(certificate).map_err(|error| problem(&error))?;
                }
            }
        }
        Ok(store)
    }
}

fn failed(cause: String) -> StoreError {
    StoreError::Failed { cause }
}

/// Accepts every certificate, for `prefer` and `require`.
#[derive(Debug)]
struct EncryptionOnly(Arc<CryptoProvider>);

/// Accepts certificates of known authorities for any name, for `verify-ca`.
#[derive(Debug)]
struct AuthorityOnly {
    roots: RootCertStore,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for EncryptionOnly {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    // Where any certificate will do, a signature made with its key proves nothing either. It is not
    // checked, because that takes a certificate of version 3: Citus and many a script make those of
    // version 1, which libpq accepts. A password that is bound to the certificate (channel binding,
    // which `RustlsStream` does not offer) would need the check: only it shows that the other side
    // has the key of the certificate.
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl ServerCertVerifier for AuthorityOnly {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let parsed = ParsedCertificate::try_from(certificate)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(
            &parsed,
            &self.roots,
            intermediates,
            now,
            algorithms,
        )?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<TcpOrUnix> for RustlsFactory {
    type Stream = RustlsStream;
    type TlsConnect = RustlsHandshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<RustlsHandshake> {
        // A socket on this machine has no host name; it does not use TLS either.
        let name = ServerName::try_from(host.to_owned())
            .unwrap_or(ServerName::IpAddress(std::net::Ipv4Addr::LOCALHOST.into()));
        Ok(RustlsHandshake { config: Arc::clone(&self.config), name })
    }
}

/// The stream of the driver before TLS.
type TcpOrUnix = tokio_postgres::Socket;

/// A handshake that is about to begin.
pub(crate) struct RustlsHandshake {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsConnect<TcpOrUnix> for RustlsHandshake {
    type Stream = RustlsStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<RustlsStream>> + Send>>;

    fn connect(self, stream: TcpOrUnix) -> Self::Future {
        Box::pin(async move {
            let connector = TlsConnector::from(self.config);
            connector.connect(self.name, stream).await.map(|stream| RustlsStream(Box::new(stream)))
        })
    }
}

/// A connection under TLS.
pub(crate) struct RustlsStream(Box<tokio_rustls::client::TlsStream<TcpOrUnix>>);

impl tokio_postgres::tls::TlsStream for RustlsStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for RustlsStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncWrite for RustlsStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
