//! The cryptography that every TLS connection of the program uses.
//!
//! Any thread; called before a client is made.

/// Installs ring for TLS, once for the process. The first to install a provider wins; a later call changes nothing.
pub fn provide_crypto() {
    // An error says that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
