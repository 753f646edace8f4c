//! A browser as far as tests need one: it keeps a cookie, fills in forms, and may send any header.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::Served;

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Clone)]
pub(super) struct Browser {
    pub(super) address: SocketAddr,
    /// As it is sent.
    pub(super) cookie: Option<String>,
}

impl Browser {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { address, cookie: None }
    }

    pub(super) fn at(&self, served: &Served) -> Self {
        Self { address: served.address, cookie: self.cookie.clone() }
    }

    pub(super) fn keep_cookie(&mut self, answer: &Answer) {
        let cookie = answer.header("set-cookie").expect("a cookie");
        self.cookie = cookie.split(';').next().map(str::to_owned);
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    pub(super) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", path, headers, "")
    }

    pub(super) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.post_with(path, fields, &[])
    }

    pub(super) fn post_with(&self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Answer {
        let body: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send("POST", path, headers, &body)
    }

    /// Sends a form of a page, with the key that stands there.
    pub(super) fn act(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let key = self.form_key();
        let mut all = vec![("key", key.as_str())];
        all.extend_from_slice(fields);
        self.post(path, &all)
    }

    pub(super) fn form_key(&self) -> String {
        let page = self.get("/").body;
        let key = page.split("data-key=\"").nth(1).and_then(|rest| rest.split('"').next());
        key.expect("a page with a key").to_owned()
    }

    /// Sends a recording, with the key of a page.
    pub(super) fn talk(&self, key: &str, sound: &[u8], headers: &[(&str, &str)]) -> Answer {
        let all: Vec<(&str, &str)> = [("x-joi-key", key)].iter().chain(headers).copied().collect();
        self.send("POST", "/talk", &all, sound)
    }

    /// Begins a request whose body never ends.
    pub(super) fn open_endless(&self, path: &str, headers: &[(&str, &str)]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let cookie = self.cookie.as_deref().unwrap_or_default();
        let mut head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n", self.address);
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n2\r\nab\r\n").as_bytes()).unwrap();
        stream
    }

    pub(super) fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> TcpStream {
        let body = body.as_ref();
        let mut stream = TcpStream::connect(self.address).unwrap();
        // Only against a test that would never end.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.address);
        }
        if let Some(cookie) = &self.cookie {
            head += &format!("cookie: {cookie}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A body that is refused may not be read to its end.
        let _ = stream.write_all(body);
        stream
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
        let mut bytes = Vec::new();
        // A connection that is reset has no answer.
        let _ = self.open(method, path, headers, body).read_to_end(&mut bytes);
        read(&String::from_utf8_lossy(&bytes))
    }
}

fn read(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    Answer { status: status.unwrap_or_default(), headers, body: body.to_owned() }
}
