//! The address of a server as its owner writes it: with or without scheme, port, a proxy's path and login.
//!
//! Its `Display` and `Debug` never show a password.
//! Pure: no I/O, no clock.

use reqwest::Url;

use super::fault::HomeFault;

/// Where the server is.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// Ends with `/`, without user and password.
    base: Url,
    /// User and password for a proxy in front of the server.
    login: Option<(String, String)>,
}

impl ServerAddress {
    /// Parses `openhab:8080` or `https://user:password@home.example/openhab/`. The path of the interface itself
    /// (`/rest`, `/api`) may be there or not.
    ///
    /// # Errors
    /// The text is not an address; the error shows an example of one.
    pub fn read(text: &str) -> Result<Self, String> {
        Self::of(text, &["http", "https"], 80, "http://openhab:8080")
    }

    /// Parses an address of one of `schemes`: the first of them, and `port`, where it names neither scheme nor port.
    pub(super) fn of(text: &str, schemes: &[&str], port: u16, example: &str) -> Result<Self, String> {
        let text = text.trim();
        let has_scheme = text.contains("://");
        let full = if has_scheme { text.to_owned() } else { format!("{}://{text}", schemes[0]) };
        let told = || format!("an address is {}, as {example}", allowed(schemes));
        let mut url = Url::parse(&full).map_err(|_| told())?;
        if !schemes.contains(&url.scheme()) || !url.has_host() || text.contains(char::is_whitespace) {
            return Err(told());
        }
        if !has_scheme && !names_port(text) {
            url.set_port(Some(port)).map_err(|()| told())?;
        }
        let decoded = |text: &str| percent_decoded(text);
        let login = (!url.username().is_empty())
            .then(|| (decoded(url.username()), url.password().map(decoded).unwrap_or_default()));
        let bare = url.set_username("").and_then(|()| url.set_password(None));
        bare.map_err(|()| told())?;
        url.set_query(None);
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/rest").or_else(|| path.strip_suffix("/api")).unwrap_or(path);
        let path = format!("{}/", path.trim_end_matches('/'));
        url.set_path(&path);
        Ok(Self { base: url, login })
    }

    /// The address of a path below the base, given without a slash in front.
    pub(super) fn below(&self, path: &str) -> Result<Url, HomeFault> {
        let full = format!("{}{path}", self.base);
        Url::parse(&full).map_err(|error| HomeFault::Unreadable { why: error.to_string() })
    }

    /// The login for the proxy.
    pub(super) fn login(&self) -> Option<(&str, &str)> {
        self.login.as_ref().map(|(user, password)| (user.as_str(), password.as_str()))
    }

    /// Whether both are one server: scheme, host and port are the same, whatever the path of a proxy is.
    pub fn is_server_of(&self, other: &Self) -> bool {
        let server = |url: &Url| {
            (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default())
        };
        server(&self.base) == server(&other.base)
    }

    /// Its host; a name with `.local` is the same host without.
    pub fn host(&self) -> &str {
        let host = self.base.host_str().unwrap_or_default();
        host.strip_suffix(".local").unwrap_or(host)
    }

    /// Whether it holds a user or password.
    pub fn has_login(&self) -> bool {
        self.login.is_some()
    }

    /// The address of the hub's WebSocket at `path`: `ws://` or `wss://`.
    pub(super) fn socket(&self, path: &str) -> String {
        let base = self.base.as_str();
        format!("ws{}{path}", base.strip_prefix("http").unwrap_or(base))
    }

    /// As it is written into the configuration, with the login.
    pub fn written(&self) -> String {
        let mut url = self.base.clone();
        if let Some((user, password)) = &self.login {
            let _ = url.set_username(user);
            let _ = url.set_password(Some(password));
        }
        url.as_str().trim_end_matches('/').to_owned()
    }
}

impl std::fmt::Display for ServerAddress {
    /// Without the login.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

impl std::fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ServerAddress({self})")
    }
}

/// Returns what an address is made of, as "http:// or https:// with host and port".
pub(super) fn allowed(schemes: &[&str]) -> String {
    let schemes: Vec<_> = schemes.iter().map(|scheme| format!("{scheme}://")).collect();
    format!("{} with host and port", schemes.join(" or "))
}

/// Whether an address says by scheme or port where exactly to ask.
pub fn is_exact(text: &str) -> bool {
    text.contains("://") || names_port(text.trim())
}

fn names_port(text: &str) -> bool {
    let host = text.split('/').next().unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default().contains(':')
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
