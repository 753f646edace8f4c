//! TLS of an endpoint: its certificate and its key, from files.
//!
//! Blocks while two small files are read, once at the start. In: paths. Out: what accepts connections, or why it can't.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use joi_base::secret;

/// A certificate with its key.
#[derive(Clone)]
pub struct TlsIdentity(Arc<ServerConfig>);

/// Why there is no TLS. Report it to the owner.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    /// The file of the certificate can't be used.
    #[error("the certificate in {} can't be used: {why}; it is a PEM file, the certificate of this machine first", .file.display())]
    Certificate {
        /// Which.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// The file of the key can't be used.
    #[error("the key in {} can't be used: {why}; it is a PEM file that only the user of joi can read", .file.display())]
    Key {
        /// Which.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// They don't belong together, or are of a kind that is not supported.
    #[error("certificate and key can't be used: {0}")]
    Pair(#[from] rustls::Error),
}

impl TlsIdentity {
    /// Reads a certificate, the further ones of its chain behind it, and its key, both as PEM.
    ///
    /// # Errors
    /// A file can't be read, holds something else, or everybody can read the key.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsFault> {
        let of_certificate = |why: String| TlsFault::Certificate { file: certificate.to_owned(), why };
        let of_key = |why: String| TlsFault::Key { file: key.to_owned(), why };
        let text = std::fs::read(certificate).map_err(|error| of_certificate(error.to_string()))?;
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let chain = chain.map_err(|error| of_certificate(error.to_string()))?;
        if chain.is_empty() {
            return Err(of_certificate("it holds no certificate".to_owned()));
        }
        let secret =
            secret::read(key).and_then(|found| found.ok_or_else(|| "there is no such file".to_owned()));
        let secret = secret.map_err(of_key)?;
        let secret =
            PrivateKeyDer::from_pem_slice(secret.0.as_bytes()).map_err(|error| of_key(error.to_string()))?;
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, secret)?;
        Ok(Self(Arc::new(config)))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0))
    }
}

impl std::fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsIdentity").finish_non_exhaustive()
    }
}
