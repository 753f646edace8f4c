//! What other pages, other people and hostile texts try.

use super::double::paths;
use super::{Browser, Served};

#[tokio::test(flavor = "multi_thread")]
async fn other_pages_and_names_that_were_made_to_resolve_here_get_and_change_nothing() {
    let served = Served::new().await;
    let browser = served.signed_in();
    let key = browser.form_key();
    let own = format!("http://{}", served.address);
    for (headers, is_taken) in [
        (vec![("origin", own.as_str()), ("sec-fetch-site", "same-origin")], true),
        (vec![("origin", "http://evil.example")], false),
        (vec![("origin", "null")], false),
        (vec![("sec-fetch-site", "cross-site")], false),
        (vec![("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], false),
        (vec![("host", "evil.example")], false),
        (vec![("host", "evil.example"), ("origin", "http://evil.example")], false),
    ] {
        let before = served.host.deeds().len();
        // The worst case: the attacker has cookie and key.
        let answer = browser.post_with("/do/now/stop", &[("key", &key)], &headers);
        assert_eq!(answer.status, if is_taken { 303 } else { 403 }, "{headers:?}");
        assert_eq!(served.host.deeds().len() - before, usize::from(is_taken), "{headers:?}");
    }
    for path in ["/", "/enter", "/events"] {
        assert_eq!(browser.get_with(path, &[("host", "evil.example")]).status, 403, "{path}");
        assert_eq!(browser.get_with(path, &[("origin", "http://evil.example")]).status, 403, "{path}");
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_without_the_key_of_its_page_does_nothing() {
    let served = Served::new().await;
    let (browser, other) = (served.signed_in(), served.signed_in());
    let others = other.form_key();
    let wrong =
        [vec![], vec![("key", "")], vec![("key", "0123456789abcdef")], vec![("key", others.as_str())]];
    for fields in wrong {
        for path in ["/do/now/stop", "/do/now/ask", "/leave"] {
            assert_eq!(browser.post(path, &fields).status, 403, "{path} {fields:?}");
        }
    }
    assert_eq!(served.host.deeds(), [""; 0]);
    // A key alone, without the cookie, is none.
    let key = browser.form_key();
    let mut stranger = served.browser();
    for cookie in [None, Some("joi_page="), Some("joi_page=x"), Some("other=1")] {
        stranger.cookie = cookie.map(str::to_owned);
        assert_eq!(stranger.post("/do/now/stop", &[("key", &key)]).status, 303, "to the log-in");
        assert_eq!(stranger.get("/events").status, 401);
    }
    // A change is never a link.
    for path in ["/do/now/stop", "/leave"] {
        assert_eq!(browser.get(path).status, 405, "{path}");
    }
    assert_eq!(served.host.deeds(), [""; 0]);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_works_once_and_who_guesses_is_stopped() {
    let served = Served::new().await;
    let code = served.access.open_link().unwrap().0;
    assert!(code.len() >= 32, "{} digits", code.len());
    let (first, second) = (served.browser(), served.browser());
    assert_eq!(first.post("/enter", &[("code", &code)]).status, 303);
    let replayed = second.post("/enter", &[("code", &code)]);
    assert_eq!((replayed.status, replayed.header("set-cookie")), (403, None));
    let statuses: Vec<u16> =
        (0..8).map(|guess| second.post("/enter", &[("code", &format!("{guess:032}"))]).status).collect();
    assert_eq!(statuses[..4], [403; 4]);
    assert_eq!(statuses[4..], [429; 4]);
    let late = served.access.open_link().unwrap().0;
    assert_eq!(
        second.post("/enter", &[("code", &late)]).status,
        429,
        "also with the right one, for a minute"
    );
    served.pass(61);
    assert_eq!(second.post("/enter", &[("code", &late)]).status, 303);
    let old = served.access.open_link().unwrap().0;
    served.pass(601);
    assert_eq!(second.post("/enter", &[("code", &old)]).status, 403);
    // A code in the address is looked at by nobody.
    let fresh = served.access.open_link().unwrap().0;
    let answer = served.browser().get(&format!("/enter?code={fresh}"));
    assert!(answer.status == 200 && answer.header("set-cookie").is_none() && !answer.body.contains(&fresh));
    assert_eq!(second.post("/enter", &[("code", &fresh)]).status, 303, "it was not used up");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_refuses_frames_foreign_files_guessed_types_and_storing() {
    let served = Served::new().await;
    let (browser, stranger) = (served.signed_in(), served.browser());
    let page = browser.get("/").body;
    let style =
        page.split("href=\"").find(|rest| rest.contains("page.css")).unwrap().split('"').next().unwrap();
    let paths = paths().into_iter().chain(["/enter", "/nowhere", "/do/now/stop", style]);
    for path in paths {
        for answer in [browser.get(path), stranger.get(path)] {
            let policy = answer.header("content-security-policy").unwrap_or_default();
            for rule in [
                "default-src 'none'",
                "frame-ancestors 'none'",
                "base-uri 'none'",
                "form-action 'self'",
                "script-src 'self'",
            ] {
                assert!(policy.contains(rule), "{path}: {policy}");
            }
            assert!(
                !policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"),
                "{policy}"
            );
            assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
            assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
            let kept = answer.header("cache-control").unwrap_or_default();
            assert!(kept == "no-store" || path == style, "{path}: {kept}");
        }
    }
    served.end().await;
}

/// Every text of the double is hostile: names, notes, what was said, reasons, arguments.
#[tokio::test(flavor = "multi_thread")]
async fn no_text_becomes_markup_on_any_page() {
    let served = Served::new().await;
    let browser = served.signed_in();
    for room in paths() {
        for query in [
            "",
            "?q=%3Cscript%3Ealert(1)%3C/script%3E&only=%22%3E%3Cimg%20src=x%3E&try=%3Cscript%3E&about=%3Cimg%3E&kind=%22%3E%3Cimg%3E&check=1",
            // What changes by itself has come to its next step.
            "?third=1",
            "?fourth=1",
        ] {
            let page = browser.get(&format!("{room}{query}")).body;
            assert!(page.contains("&lt;script&gt;alert"), "{room} shows no hostile text at all");
            assert!(!page.contains("<script>") && !page.contains("<img"), "{room}: {page}");
            assert!(!page.contains("onerror=\"") && !page.contains("=\"javascript:"), "{room}");
            // One script, ours, and no attribute that was closed by a text.
            assert_eq!(page.matches("<script").count(), 1, "{room}");
        }
    }
    let told = browser.act("/do/now/listen", &[]);
    assert_eq!(told.status, 303);
    assert!(!browser.get("/").body.contains("<script>"), "a reason that the program gives");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn huge_forms_and_methods_that_nobody_serves_are_refused() {
    let served = Served::new().await;
    let browser: Browser = served.signed_in();
    let (key, long) = (browser.form_key(), "x".repeat(20 * 1024));
    assert_eq!(browser.post("/do/now/ask", &[("key", &key), ("text", &long)]).status, 413);
    assert_eq!(served.browser().post("/enter", &[("code", &long)]).status, 413);
    assert_eq!(browser.post("/do/now/ask", &[("key", &key), ("text", &long[..8_000])]).status, 303);
    assert_eq!(served.host.deeds(), [format!("ask {}", "x".repeat(2_000))], "cut");
    assert_eq!(browser.post("/", &[]).status, 405);
    served.end().await;
}
