//! Push to talk: what is taken, and what others try.

use super::Served;

/// A second of a square tone.
fn second() -> Vec<u8> {
    [0x00_u8, 0x20, 0x00, 0xe0].repeat(8_000)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_asked_as_if_it_were_typed_and_silence_asks_nothing() {
    let served = Served::new().await;
    let browser = served.signed_in();
    let key = browser.form_key();
    let answer = browser.talk(&key, &second(), &[]);
    assert_eq!(answer.status, 200);
    let told: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((told["tone"].as_str(), told["text"].as_str()), (Some("done"), Some("")));
    let silence = browser.talk(&key, &[0; 32_000], &[]);
    assert!(silence.body.contains("No words were understood") && silence.body.contains("failed"));
    let click = browser.talk(&key, &second()[..8_000], &[]);
    assert!(click.body.contains("No words were understood"), "{}", click.body);
    let german = browser.talk(&key, &[], &[("accept-language", "de")]);
    assert!(german.body.contains("Es waren keine Worte"), "{}", german.body);
    assert_eq!(served.host.deeds(), ["ask 16000 samples up to 0.25"]);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_other_pages_and_pages_without_the_key_are_not_listened_to() {
    let served = Served::new().await;
    let (browser, other) = (served.signed_in(), served.signed_in());
    let (key, others) = (browser.form_key(), other.form_key());
    // Without leave a body has the size of a form at most: more is refused before anything else.
    let (short, long) = (&second()[..8_000], &second()[..]);
    for (given, refused) in [("", [403, 413]), ("0123", [403, 413]), (others.as_str(), [403, 413])] {
        let statuses = [short, long].map(|sound| browser.talk(given, sound, &[]).status);
        assert_eq!(statuses, refused, "{given}");
    }
    let stranger = served.browser();
    assert_eq!([short, long].map(|sound| stranger.talk(&key, sound, &[]).status), [401, 413]);
    let mut guesser = served.browser();
    guesser.cookie = Some("joi_page=00000000000000000000000000000000".to_owned());
    assert_eq!([short, long].map(|sound| guesser.talk(&key, sound, &[]).status), [401, 413]);
    for headers in [
        [("origin", "http://evil.example")],
        [("origin", "null")],
        [("sec-fetch-site", "cross-site")],
        [("host", "evil.example")],
    ] {
        assert_eq!(browser.talk(&key, long, &headers).status, 403, "{headers:?}");
    }
    assert_eq!(browser.get("/talk").status, 405);
    assert_eq!(browser.act("/leave", &[]).status, 200);
    assert_eq!([short, long].map(|sound| browser.talk(&key, sound, &[]).status), [401, 413], "signed out");
    assert_eq!(served.host.deeds(), [""; 0]);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_minute_is_the_longest_and_thirty_a_minute_are_the_most() {
    let served = Served::new().await;
    let browser = served.signed_in();
    let key = browser.form_key();
    assert_eq!(browser.talk(&key, &second().repeat(30), &[]).status, 200);
    assert_eq!(served.host.deeds(), ["ask 480000 samples up to 0.25"]);
    assert_eq!(browser.talk(&key, &[second().repeat(30), vec![1, 1]].concat(), &[]).status, 413);
    let statuses: Vec<u16> = (0..35).map(|_| browser.talk(&key, &[], &[]).status).collect();
    assert_eq!(statuses[..29], [200; 29]);
    assert_eq!(statuses[29..], [429; 6]);
    served.pass(61);
    assert_eq!(browser.talk(&key, &[], &[]).status, 200);
    served.end().await;
}

/// Two that do not go on have all places for sound; whoever sends one more is asked to come again, and nothing else waits.
#[tokio::test(flavor = "multi_thread")]
async fn slow_ones_keep_neither_the_page_nor_typing_from_others() {
    let served = Served::new().await;
    let browser = served.signed_in();
    let key = browser.form_key();
    let (mut slow, mut status) = (Vec::new(), 0);
    while status != 503 {
        // One that came while the other place was taken was refused.
        let headers = [("x-joi-key", key.as_str()), ("transfer-encoding", "chunked")];
        slow.push(browser.open_endless("/talk", &headers));
        status = browser.talk(&key, &second(), &[]).status;
        assert!(status == 200 || status == 503, "{status}");
        served.pass(61);
    }
    assert_eq!(browser.get("/").status, 200);
    let before = served.host.deeds().len();
    assert_eq!(browser.act("/do/now/ask", &[("text", "hello")]).status, 303);
    assert_eq!(served.host.deeds().len(), before + 1);
    drop(slow);
    while browser.talk(&key, &second(), &[]).status != 200 {
        served.pass(61);
    }
    served.end().await;
}
