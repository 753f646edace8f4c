//! Clients that go away, clients that have to wait, and a server that is told to end.

use std::sync::mpsc::channel;

use serde_json::json;

use crate::support::{Server, chat, user};

/// Clean abort: disconnecting in mid-reply stops the work.
#[test]
fn hanging_up_in_mid_reply_frees_the_engine() {
    let mut server = Server::open(&[]);
    let mut answer = server.endless();
    for _ in 0..3 {
        assert_eq!(answer.line().expect("a piece")["done"], json!(false));
    }
    drop(answer);
    server.wait_for_log("request canceled");
    let next = server.chat(&user("Say hello."), &json!({"num_predict": 4}));
    assert_eq!(next["done"], json!(true));
}

#[test]
fn hanging_up_while_the_prompt_is_evaluated_frees_the_engine() {
    let mut server = Server::open(&[]);
    let long = user(&"The sea was calm and the gulls were loud that day. ".repeat(250));
    let body = chat(&long, &json!({}), true).to_string();
    let mut connection = std::net::TcpStream::connect(&server.url["http://".len()..]).unwrap();
    let head =
        format!("POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
    std::io::Write::write_all(&mut connection, format!("{head}{body}").as_bytes()).unwrap();
    // The log says when the engine has it; hanging up before would prove nothing.
    server.wait_for_log("request started");
    drop(connection);
    server.wait_for_log("request canceled");
    // What was evaluated is kept, and what was not is not taken for evaluated.
    let reply = server.chat(&user("What is the capital of France? One word."), &json!({"temperature": 0}));
    assert!(reply["message"]["content"].as_str().unwrap().contains("Paris"), "{reply}");
}

#[test]
fn requests_wait_in_a_queue_and_one_too_many_learns_so() {
    let server = Server::open(&["--queue", "1"]);
    let running = server.endless();
    let (told, answers) = channel();
    let busy = std::thread::scope(|scope| {
        for _ in 0..2 {
            let (told, server) = (told.clone(), &server);
            scope.spawn(move || {
                let answer = server.post("/api/chat", &chat(&user("Hi"), &json!({"num_predict": 1}), false));
                told.send((answer.status, answer.json())).unwrap();
            });
        }
        // While one is answered and one waits, the other can only be refused.
        let busy = answers.recv().unwrap();
        drop(running);
        let (status, reply) = answers.recv().unwrap();
        assert_eq!((status, &reply["done"]), (200, &json!(true)));
        busy
    });
    let text = "server busy, please try again.  maximum pending requests exceeded";
    assert_eq!(busy, (503, json!({"error": text})));
}

#[test]
fn told_to_end_it_says_so_in_the_open_reply_and_ends_well() {
    let server = Server::open(&[]);
    let answer = server.endless();
    assert_eq!(server.terminate().code(), Some(0));
    let last = answer.lines().pop().expect("a last line");
    let text = "an error was encountered while running the model: the server is shutting down";
    assert_eq!(last, json!({"error": text}));
}
