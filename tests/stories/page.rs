//! The owner looks at the page of the running program, and acts there: over HTTP, as a browser does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::Value;

use super::service::{deaf_home, run, status};
use crate::support::program::{FOR_EVER, Home};

/// A browser as far as it is needed here.
struct Browser {
    host: String,
    cookie: Option<String>,
}

/// What it gets.
#[derive(Debug)]
struct Answer {
    head: String,
    body: String,
}

impl Answer {
    fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

impl Browser {
    /// One that follows a link of `joi page`.
    fn entering(link: &str) -> Self {
        let (address, code) = link.split_once("/enter#").expect("a link with a code");
        let mut browser = Self { host: address.trim_start_matches("http://").to_owned(), cookie: None };
        let answer = browser.send("POST", "/enter", &format!("code={code}"));
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        browser.cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
        browser
    }

    fn open(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(FOR_EVER)).unwrap();
        let cookie = self.cookie.as_ref().map(|cookie| format!("cookie: {cookie}\r\n")).unwrap_or_default();
        let origin = format!("origin: http://{}\r\nsec-fetch-site: same-origin\r\n", self.host);
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n{cookie}{origin}content-length: {length}\r\n\r\n{body}",
            self.host
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        let mut text = String::new();
        self.open(method, path, body).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        Answer { head: head.to_owned(), body: body.to_owned() }
    }

    fn page(&self, path: &str) -> String {
        let answer = self.send("GET", path, "");
        assert_eq!(answer.status(), "200", "{path}: {answer:?}");
        answer.body
    }

    /// Sends a form of the page `room`, and returns that page as it is then.
    fn act(&self, room: &str, action: &str, fields: &str) -> String {
        let page = self.page(room);
        let key = page.split("data-key=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let answer = self.send("POST", &format!("/do/{action}"), &format!("key={key}&{fields}"));
        assert_eq!(answer.status(), "303", "{action}: {answer:?}");
        self.page(room)
    }
}

/// A home with a page.
fn home_with_page() -> Home {
    let mut home = deaf_home();
    // Free a moment ago; somebody else may take it, which a second try does not bear out.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    home.set(&format!("page.listen=127.0.0.1:{port}"));
    home
}

fn link(home: &Home) -> String {
    let told: Value = serde_json::from_str(&home.joi(&["page", "--json"]).well().out).unwrap();
    told["link"].as_str().unwrap().to_owned()
}

#[test]
fn the_owner_signs_in_types_looks_why_and_signs_out_everywhere() {
    let home = home_with_page();
    assert!(home.joi(&["page"]).complaint().contains("joi is not running"));
    let joi = run(&home);
    let browser = Browser::entering(&link(&home));
    assert!(browser.page("/").contains("no such microphone"));
    let mut events = BufReader::new(browser.open("GET", "/events", ""));
    let mut until = |wanted: &str| {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            assert!(events.read_line(&mut line).unwrap() > 0, "the stream ended before {wanted}");
        }
        line
    };
    assert!(until("\"state\"").contains("\"state\":\"error\""));
    browser.act("/", "now/ask", "text=set+a+pasta+timer+for+nine+minutes");
    assert!(until("\"heard\"").contains("set a pasta timer"));
    assert!(until("\"words\"").contains("Pasta timer"));
    until("\"answered\"");
    let why = browser.page("/why");
    assert!(why.contains("set a pasta timer for nine minutes") && why.contains(">page<"), "{why}");
    let told = home.joi(&["why"]).well().out;
    assert!(told.contains("by page") && told.contains("set a pasta timer"), "{told}");
    let memory = browser.page("/memory");
    assert!(memory.contains("pasta"), "{memory}");
    // The default stream of the control socket holds no word of it.
    assert!(!home.joi(&["status", "--json"]).well().out.contains("pasta timer"));
    browser.act("/", "now/mute", "muted=on");
    assert_eq!(status(&home)["muted"], true);
    let health = browser.page("/health?check=1");
    assert!(health.contains("speech to text") && health.contains("page typing"), "{health}");
    let out = home.joi(&["page", "--sign-out"]).well().out;
    assert_eq!(out, "1 browsers are signed out\n");
    assert_eq!(browser.send("GET", "/", "").status(), "303");
    joi.terminate();
}

#[test]
fn a_browser_stays_signed_in_over_a_restart_and_what_it_changes_is_kept() {
    let mut home = home_with_page();
    let file = home.path("config/joi/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# mine\n[hear.endpoint]\n# not too soon\npatience = \"normal\"\n").unwrap();
    home.set("announce.awake=false");
    let joi = run(&home);
    let browser = Browser::entering(&link(&home));
    let remembered = browser.act("/memory", "memory/add", "kind=user&text=my+sister+is+called+Ann");
    assert!(remembered.contains("my sister is called Ann"), "{remembered}");
    let page = browser.act("/memory", "memory/add", "kind=user&text=my+password+is+tr0ub4dor");
    assert!(page.contains("Secrets are not stored") && !page.contains("tr0ub4dor"), "{page}");
    let refused = browser.act("/settings", "settings/set", "name=hear.endpoint.patience&value=slow");
    assert!(refused.contains("is not changed"), "{refused}");
    let saved = browser.act("/settings", "settings/set", "name=hear.endpoint.patience&value=relaxed");
    assert!(saved.contains("from the next start: relaxed"), "{saved}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, "# mine\n[hear.endpoint]\n# not too soon\npatience = \"relaxed\"\n");
    joi.terminate();
    let joi = run(&home);
    browser.act("/day", "day/open-goal", "name=trip+to+Tokyo");
    let goals = || serde_json::from_str::<Value>(&home.joi(&["goals", "--json"]).well().out).unwrap();
    let id = goals()[0]["id"].clone();
    let day = browser.act("/day", "day/say-to-goal", &format!("id={id}&text=we+go+in+May"));
    assert!(day.contains("trip to Tokyo") && day.contains("we go in May"), "{day}");
    let day = browser.act("/day", "day/leave-goal", &format!("id={id}"));
    assert!(day.contains("waits for you") && goals()[0]["status"] == "waiting", "{day}");
    let day = browser.act("/day", "day/end-goal", &format!("id={id}"));
    assert!(!day.contains("Say to trip to Tokyo") && goals().as_array().is_some_and(Vec::is_empty), "{day}");
    let gone = browser.act("/memory", "memory/forget-about", "about=Ann");
    assert!(!gone.contains("sister"), "{gone}");
    assert!(!home.joi(&["memory"]).well().out.contains("Ann"));
    joi.terminate();
}
