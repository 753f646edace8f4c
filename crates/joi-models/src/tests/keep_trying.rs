//! Further attempts while the network is what fails, with a server on this machine.

use std::cell::Cell;

use tokio::time::Instant;

use super::super::keep_trying::{AGAIN, keep_trying};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_twice_is_asked_again_after_a_wait_each_time() {
    let server = Server::start(&[]).await;
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &[format!("{}/f", server.base)]);
    let (notes, tries) = (Notes::default(), Cell::new(0));
    let attempt = || {
        server.serve(
            "/f",
            match tries.replace(tries.get() + 1) {
                0 => Serve::Busy,
                1 => Serve::Cut(body(), 40_000),
                _ => Serve::Whole(body()),
            },
        );
        let (library, notes) = (&library, &notes);
        async move {
            // Only the waits between the attempts are skipped: sockets don't know of them.
            tokio::time::resume();
            let fetched = library.fetch(&["m"], FetchOptions::default(), notes).await;
            tokio::time::pause();
            fetched
        }
    };
    let begun = Instant::now();
    let fetched = keep_trying(attempt, &notes).await;
    assert!(matches!(fetched.as_deref(), Ok([FetchOutcome::Now])), "{fetched:?}");
    assert!(begun.elapsed() >= AGAIN * 2, "{:?}", begun.elapsed());
    assert_eq!(server.asked(), ["/f", "/f", "/f from 40000"]);
    assert_eq!(files_below(dir.path()), ["f.bin"]);

    let told = notes.0.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("m could not be fetched now (http://"), "{told:?}");
    assert!(
        told[0].ends_with("/f: the server answered 503 Service Unavailable); the next attempt is in 30 s")
    );
    assert!(told.iter().all(|told| !told.contains('\n')), "{told:?}");
}

#[tokio::test]
async fn only_what_came_of_the_network_is_tried_again() {
    let mut wrong = body();
    wrong[77] ^= 1;
    let pages = [
        ("/wrong", Serve::Whole(wrong)),
        ("/long", Serve::Whole([body(), vec![0; 9]].concat())),
        ("/cut", Serve::Cut(body(), 40_000)),
        ("/busy", Serve::Busy),
    ];
    let server = Server::start(&pages).await;
    let at = |path: &str| format!("{}{path}", server.base);
    let away = || "http://127.0.0.1:1/f".to_owned();
    for (urls, is_network) in [
        (vec![at("/gone")], false),
        (vec![at("/wrong")], false),
        (vec![at("/long"), at("/gone")], false),
        (vec![at("/cut")], true),
        (vec![at("/busy")], true),
        (vec![away()], true),
        (vec![at("/gone"), away(), at("/wrong")], true),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path(), &urls);
        let error = library.fetch(&["m"], FetchOptions::default(), &Notes::default()).await.unwrap_err();
        assert_eq!(error.passes().is_some(), is_network, "{error}");
    }
}

#[tokio::test]
async fn what_a_wait_does_not_mend_is_an_error_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &["http://127.0.0.1:1/f".into()]);
    let options = FetchOptions { keep_trying: true, ..FetchOptions::default() };
    let notes = Notes::default();
    let error = library.fetch(&["n"], options, &notes).await.unwrap_err();
    assert!(matches!(error, FetchError::Model(ModelError::Unknown { .. })), "{error}");

    let mut huge = library.manifest().clone();
    huge.models[0].files[0].size = Some(u64::MAX / 4);
    let error = ModelLibrary::with(dir.path(), huge).fetch(&["m"], options, &notes).await.unwrap_err();
    assert!(matches!(error, FetchError::NoSpace { .. }), "{error}");

    let attempt = |fault| FetchAttempt { place: "there".into(), why: "it is so".into(), fault };
    let tried = vec![attempt(FetchFault::Network), attempt(FetchFault::Here)];
    let full = FetchError::AllSources { name: "m".into(), tried };
    assert_eq!(full.passes(), None, "a full disk stays full");
    assert!(
        FetchError::Busy(dir.path().to_owned()).passes().is_some_and(|why| why.starts_with("another joi"))
    );
    assert_eq!(*notes.0.lock().unwrap(), [""; 0]);
}

#[tokio::test]
async fn what_is_there_needs_no_second_attempt() {
    let server = Server::start(&[("/f", Serve::Whole(body()))]).await;
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path(), &[format!("{}/f", server.base)]);
    let options = FetchOptions { keep_trying: true, ..FetchOptions::default() };
    for outcome in [FetchOutcome::Now, FetchOutcome::AlreadyThere] {
        assert_eq!(library.fetch(&["m"], options, &Notes::default()).await.unwrap(), [outcome]);
    }
    assert_eq!(server.asked(), ["/f"]);
}
