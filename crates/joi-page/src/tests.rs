//! The page over real sockets: who gets in, what is refused, what texts become, who loses a stream.

mod attacks;
mod browser;
pub(crate) mod double;
mod streams;
mod talk;

use browser::Browser;
use double::{HOSTILE, Served};

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_signs_in_with_a_link_looks_around_acts_and_signs_out() {
    let served = Served::new().await;
    let stranger = served.browser();
    for room in double::paths() {
        let answer = stranger.get(room);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/enter")), "{room}");
    }
    let mut browser = served.browser();
    let door = browser.get("/enter");
    assert!(door.status == 200 && door.body.contains("joi page"), "{}", door.body);
    let code = served.access.open_link().unwrap().0;
    let entered = browser.post("/enter", &[("code", &code)]);
    assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
    let cookie = entered.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    browser.keep_cookie(&entered);
    for room in double::paths() {
        let page = browser.get(room);
        assert_eq!(page.status, 200, "{room}");
        assert!(page.body.contains("aria-current=\"page\"") && page.body.contains("<main"), "{room}");
        assert!(!page.body.contains(&code), "the code is nowhere");
    }
    let muted = browser.act("/do/now/mute", &[("muted", "on")]);
    assert_eq!((muted.status, muted.header("location")), (303, Some("/")));
    assert_eq!(served.host.deeds(), ["mute true"]);
    assert!(browser.get("/").body.contains("The microphone is off."), "what came of it");
    assert!(!browser.get("/").body.contains("The microphone is off."), "once");
    assert_eq!(browser.act("/do/now/ask", &[("text", " what time is it? ")]).status, 303);
    assert_eq!(browser.act("/do/now/volume", &[("volume", "40")]).status, 303);
    assert_eq!(browser.act("/do/now/volume", &[("volume", "400")]).status, 303);
    assert_eq!(browser.act("/do/now/nothing", &[]).status, 404);
    assert_eq!(served.host.deeds(), ["mute true", "ask what time is it?", "volume 40"]);
    let left = browser.act("/leave", &[]);
    assert!(left.header("set-cookie").is_some_and(|cookie| cookie.contains("Max-Age=0")));
    assert_eq!(browser.get("/").status, 303);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_every_room_does_what_it_says() {
    let served = Served::new().await;
    let browser = served.signed_in();
    let two = [("id", "3"), ("text", "her name is Ann")];
    for (path, fields, deed) in [
        ("now/stop", &[][..], "stop"),
        ("day/open-goal", &[("name", "trip to Tokyo")], "open goal trip to Tokyo"),
        ("day/say-to-goal", &[("id", "8"), ("text", "in May")], "say to goal 8: in May"),
        ("day/leave-goal", &[("id", "8")], "Leave goal 8"),
        ("day/resume-goal", &[("id", "8")], "Resume goal 8"),
        ("day/end-goal", &[("id", "8")], "End goal 8"),
        ("day/approve", &[("agent", "garage"), ("number", "4")], "decide garage 4 true"),
        ("day/deny", &[("agent", "garage"), ("number", "4")], "decide garage 4 false"),
        ("day/remove-watch", &[("id", "6")], "remove watch 6"),
        ("memory/add", &[("kind", "wish"), ("text", "be brief")], "remember wish be brief"),
        ("memory/correct", &two, "correct 3 her name is Ann"),
        ("memory/forget", &[("id", "3")], "forget 3"),
        ("memory/forget-about", &[("about", "Ann")], "forget about Ann"),
        ("memory/on-list", &[("list", "shopping"), ("text", "milk")], "note shopping milk"),
        ("memory/off-list", &[("list", "shopping"), ("text", "milk")], "unnote shopping milk"),
        ("memory/set-timer", &[("when", "9 minutes"), ("name", "pasta")], "set 9 minutes pasta "),
        ("memory/cancel-timer", &[("id", "5")], "Cancel 5"),
        ("memory/pause-timer", &[("id", "5")], "Pause 5"),
        ("memory/resume-timer", &[("id", "5")], "Resume 5"),
        ("health/wake-begin", &[("phrase", "hey luna")], "Begin(\"hey luna\")"),
        ("health/wake-record", &[], "Record"),
        ("health/wake-discard", &[("take", "1")], "Discard(1)"),
        ("health/wake-keep", &[], "Keep"),
        ("health/wake-give-up", &[], "GiveUp"),
        ("health/wake-remove", &[("phrase", "hey luna")], "Remove(\"hey luna\")"),
        ("settings/set", &[("name", "a.b"), ("value", "7")], "set a.b Some(\"7\")"),
        ("settings/reset", &[("name", "a.b")], "set a.b None"),
    ] {
        let answer = browser.act(&format!("/do/{path}"), fields);
        let room = path.split('/').next().unwrap();
        let back = match path.split_once('/') {
            Some(("now", _)) => "/".to_owned(),
            Some((_, wake)) if wake.starts_with("wake-") => "/health#enrolment".to_owned(),
            _ => format!("/{room}"),
        };
        assert_eq!((answer.status, answer.header("location")), (303, Some(back.as_str())), "{path}");
        assert_eq!(served.host.deeds().last().map(String::as_str), Some(deed), "{path}");
        let page = browser.get(back.split('#').next().unwrap()).body;
        assert!(page.contains("<p class=\"notice\">"), "{path} says what came of it");
    }
    for (path, fields) in [("memory/forget", [("id", "99")]), ("settings/set", [("name", "c.d")])] {
        assert_eq!(browser.act(&format!("/do/{path}"), &fields).status, 303);
        let room = path.split('/').next().unwrap();
        assert!(browser.get(&format!("/{room}")).body.contains("class=\"notice bad\""), "{path}");
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_speaks_the_language_of_the_browser_and_else_that_of_the_house() {
    let served = Served::new().await;
    let browser = served.signed_in();
    assert!(browser.get("/").body.contains("<html lang=\"en\""));
    let german = browser.get_with("/", &[("accept-language", "fr, de-AT;q=0.8, en;q=0.5")]);
    assert!(
        german.body.contains("<html lang=\"de\"") && german.body.contains("Lautst\u{e4}rke"),
        "{}",
        german.body
    );
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_signed_in_outlasts_a_restart_and_what_is_kept_signs_nobody_in() {
    let served = Served::new().await;
    let kept = served.access.kept();
    let browser = served.signed_in();
    let text = kept.borrow().clone();
    let again = Served::with(crate::PageAccess::new(Some(&text), served.clock())).await;
    assert_eq!(browser.at(&again).get("/").status, 200);
    let secret = browser.cookie.clone().unwrap();
    assert!(!text.contains(secret.split('=').nth(1).unwrap()), "only a digest is kept");
    let digest: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut thief = again.browser();
    thief.cookie = Some(format!("joi_page={}", digest[0]["secret"].as_str().unwrap()));
    assert_eq!(thief.get("/").status, 303);
    let unreadable = crate::PageAccess::new(Some("{"), served.clock());
    assert!(unreadable.browsers().is_empty());
    served.end().await;
    again.end().await;
}

/// No text is put into a page as HTML by its script, nothing is evaluated, and nothing is loaded from elsewhere.
#[test]
fn the_files_of_the_page_make_no_html_of_texts_and_load_nothing_from_elsewhere() {
    let style = include_str!("../assets/page.css");
    let script = [
        include_str!("../assets/page.js"),
        include_str!("../assets/talk.js"),
        include_str!("../assets/recorder.js"),
    ]
    .concat();
    for word in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "import(",
        "localStorage",
    ] {
        assert!(!script.contains(word), "{word}");
    }
    for text in [&script, style] {
        for word in ["http:", "https:", "//cdn", "@import", "url("] {
            assert!(!text.contains(word), "{word}");
        }
    }
    assert!(HOSTILE.contains("<script>"));
}
