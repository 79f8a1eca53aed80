use super::*;
use serde_json::json;
use std::io::{Read, Write};

fn post(server: &ModelServer, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let body = body.to_string();
    write!(stream, "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn each_interface_plays_the_script_and_keeps_what_it_was_sent() {
    for (path, asked) in [
        ("/v1/messages?beta=true", json!({ "tools": [{}], "stream": true, "said": "first \"words\"" })),
        ("/v1/responses", json!({ "tools": [{ "name": "exec_command" }], "said": "first \"words\"" })),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            json!({ "tools": [{}], "said": "first \"words\"" }),
        ),
    ] {
        let server = ModelServer::start(vec![Turn::shell("make test"), Turn::text("all done")]);
        assert!(post(&server, path, &asked).contains("make test"), "{path}");
        assert!(post(&server, path, &asked).contains("all done"), "{path}");
        assert!(post(&server, path, &asked).contains("all done"), "the last turn is played again");
        assert_eq!((server.turns(), server.sent().len()), (3, 3));
        assert!(server.was_told("first \"words\"") && !server.was_told("other words"));
    }
}

#[test]
fn a_question_beside_the_conversation_takes_no_turn() {
    let server = ModelServer::start(vec![Turn::text("x")]);
    assert!(post(&server, "/v1beta/models/m:generateContent", &json!({})).contains("200"));
    assert!(post(&server, "/v1/messages/count_tokens", &json!({ "tools": [{}] })).contains("input_tokens"));
    assert_eq!(server.turns(), 0);
}

#[test]
fn nobody_gets_outside_through_it() {
    let server = ModelServer::start(vec![Turn::text("x")]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(b"CONNECT elsewhere.example:443 HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert_eq!(server.refused(), ["elsewhere.example:443"]);
}
