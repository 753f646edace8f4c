//! Streams of events: what comes, and who loses one.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;

use joi_base::message::Channel;

use super::{Browser, HOSTILE, Served};
use crate::LiveEvent;

/// An open stream, behind its head.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(browser: &Browser) -> Self {
        let mut reader = BufReader::new(browser.open("GET", "/events", &[], ""));
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0);
        }
        Self(reader)
    }

    /// The next event that `is_wanted`; nothing where the stream has ended.
    fn next(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        loop {
            let mut line = String::new();
            // A connection that is cut is an end as well.
            if self.0.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ").filter(|data| is_wanted(data)) {
                return Some(data.trim_end().to_owned());
            }
        }
    }
}

fn words(text: String) -> LiveEvent {
    LiveEvent::Words { channel: Channel::Page, text }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_on_comes_as_it_happens_in_the_words_of_the_page() {
    let served = Served::new().await;
    let mut stream = Stream::open(&served.signed_in());
    let first = stream.next(|data| data.contains("\"state\"")).unwrap();
    assert!(first.contains("\"label\":\"at rest\""), "{first}");
    served.host.goes_on(LiveEvent::Heard { channel: Channel::Voice, text: format!("a\nb {HOSTILE}") });
    // The level comes once, before or behind it.
    let both = [(); 2].map(|()| stream.next(|data| data.contains("heard") || data.contains("db")).unwrap());
    let is_level = |data: &&String| data.contains("db");
    assert_eq!(both.iter().find(is_level).map(String::as_str), Some(r#"{"db":-30.0}"#));
    let heard = both.iter().find(|data| !is_level(data)).expect("it is heard once");
    let heard: serde_json::Value = serde_json::from_str(heard).expect("one line, whatever was said");
    assert_eq!(heard["text"], format!("a\nb {HOSTILE}"));
    assert_eq!((heard["label"].as_str(), heard["channel"].as_str()), (Some("You"), Some("voice")));
    served.end().await;
    assert_eq!(stream.next(|_| false), None, "it ends with the program");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_loses_its_stream_and_nobody_else_does() {
    let served = Served::new().await;
    let (reads, sleeps) = (served.signed_in(), served.signed_in());
    let mut awake = Stream::open(&reads);
    awake.next(|data| data.contains("state")).unwrap();
    let mut asleep = Stream::open(&sleeps);
    asleep.next(|data| data.contains("state")).unwrap();
    assert_eq!(served.host.followers(), 2);
    // More than the buffers of a socket hold; each event was read by the other one before the next is sent.
    let large = "x".repeat(64 * 1024);
    let mut sent = 0;
    while served.host.followers() == 2 {
        served.host.goes_on(words(format!("{sent} {large}")));
        let begin = format!("\"{sent} ");
        awake.next(|data| data.contains(&begin)).expect("the one that reads gets everything");
        sent += 1;
        assert!(sent < 4_000, "nobody was cut off");
    }
    served.host.goes_on(words("the end".into()));
    assert!(awake.next(|data| data.contains("the end")).is_some());
    // Events that were on their way come, and then the end.
    assert_eq!(asleep.next(|data| data.contains("the end")), None);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_ends_the_streams_of_that_browser() {
    let served = Served::new().await;
    let (one, other) = (served.signed_in(), served.signed_in());
    let (mut first, mut second) = (Stream::open(&one), Stream::open(&other));
    assert!(first.next(|_| true).is_some() && second.next(|_| true).is_some());
    assert_eq!(one.act("/leave", &[]).status, 200);
    assert_eq!(first.next(|_| false), None);
    served.host.goes_on(words("still here".into()));
    assert!(second.next(|data| data.contains("still here")).is_some());
    assert_eq!(served.access.sign_out(None), 1);
    assert_eq!(second.next(|_| false), None);
    assert_eq!(other.get("/").status, 303);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_only_so_many_streams_and_a_closed_one_makes_room() {
    let served = Served::new().await;
    let browser = served.signed_in();
    let streams: Vec<Stream> = (0..32).map(|_| Stream::open(&browser)).collect();
    assert_eq!(browser.get("/events").status, 503);
    assert_eq!(browser.get("/").status, 200, "pages are served all the same");
    drop(streams);
    while served.host.followers() > 0 {
        served.host.goes_on(words("is anybody there".into()));
        tokio::task::yield_now().await;
    }
    drop(Stream::open(&browser));
    served.end().await;
}
