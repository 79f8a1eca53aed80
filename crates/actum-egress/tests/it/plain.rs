//! Plain HTTP requests, rewritten and carried on one at a time.

use crate::world::{World, echo, nobody, web};
use actum_model::{Refusal, Verdict, Via};

#[test]
fn a_request_goes_on_in_origin_form_and_alone() {
    let (server, heard) = web();
    let world = World::open(server);
    let answer = world.exchange(
        b"POST http://good.test/a?b HTTP/1.1\r\nHost: good.test\r\nProxy-Authorization: Basic eDp5\r\n\
          Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbodyGET http://evil.test/ HTTP/1.1\r\n\r\n",
    );
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("hello"), "{answer}");
    assert_eq!(
        heard.recv().unwrap(),
        "POST /a?b HTTP/1.1\r\nHost: good.test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"
    );
    let (dialled, decided) = world.close();
    assert_eq!(dialled.len(), 1);
    assert_eq!((decided.decisions.len(), decided.decisions[0].verdict), (1, Verdict::Allowed));
    assert_eq!((decided.decisions[0].via, decided.decisions[0].port), (Via::Http, Some(80)));
}

#[test]
fn chunks_are_counted_and_written_anew() {
    let (server, heard) = web();
    let world = World::open(server);
    let answer = world.exchange(
        b"PUT http://good.test HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n00003\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nmore",
    );
    assert!(answer.ends_with("hello"), "{answer}");
    assert!(heard.recv().unwrap().ends_with("\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n"));
}

#[test]
fn crooked_chunks_end_the_connection() {
    let world = World::open(echo());
    world.exchange(
        b"PUT http://good.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\n\r\n",
    );
    let verdicts: Vec<Verdict> = world.close().1.decisions.iter().map(|decision| decision.verdict).collect();
    assert_eq!(verdicts, [Verdict::Allowed, Verdict::Refused(Refusal::Malformed)]);
}

#[test]
fn refusals_answer_and_dial_nothing() {
    for (request, status, refusal) in [
        ("GET http://good.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "403", Refusal::ServerName),
        ("GET http://good.test/ HTTP/1.1\r\nHost: good.test:8080\r\n\r\n", "403", Refusal::ServerName),
        ("GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "403", Refusal::Unlisted),
        ("GET http://evil.test@good.test/ HTTP/1.1\r\n\r\n", "403", Refusal::Grammar),
        ("GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\n\r\n", "403", Refusal::Literal),
        ("GET http://[fd00:ec2::254]/ HTTP/1.1\r\n\r\n", "403", Refusal::Literal),
        ("GET http://bad.test/ HTTP/1.1\r\n\r\n", "403", Refusal::PrivateAddress),
        ("GET http://good.test:22/ HTTP/1.1\r\n\r\n", "403", Refusal::Port),
        ("GET / HTTP/1.1\r\nHost: good.test\r\n\r\n", "400", Refusal::Malformed),
        ("GET https://good.test/ HTTP/1.1\r\n\r\n", "400", Refusal::Malformed),
        ("\x16\x03\x01\x02\x03", "400", Refusal::Malformed),
        (
            "POST http://good.test/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400",
            Refusal::Malformed,
        ),
    ] {
        let world = World::open(nobody());
        let answer = world.exchange(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        assert!(answer.contains(&format!("X-Actum-Refused: {}\r\n", refusal.word())), "{request}: {answer}");
        assert_eq!(world.refused().2, refusal, "{request}");
    }
}
