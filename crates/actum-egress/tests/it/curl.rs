//! A real client, where the machine has one.

use crate::world::{World, rest, server, web};
use actum_model::{Verdict, Via};
use std::{io::Read, process::Command, sync::mpsc};

/// What curl prints; `None` where there is no curl, and the test has nothing to say.
fn curl(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("curl");
    command.env_clear().args(["-q", "-sS", "-i", "--max-time", "20"]).args(arguments);
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn curl_fetches_through_http_and_socks() {
    for (scheme, via) in [("http", Via::Http), ("socks5h", Via::Socks)] {
        let (server, heard) = web();
        let world = World::open(server);
        let proxy = format!("{scheme}://{}", world.proxy);
        let Some(shown) = curl(&["--proxy", &proxy, "-d", "body", "http://good.test/path"]) else { return };
        assert!(shown.contains("200 OK") && shown.ends_with("hello"), "{shown}");
        let request = heard.recv().unwrap();
        assert!(request.starts_with("POST /path HTTP/1.1\r\n") && request.ends_with("body"), "{request}");
        let (_, decided) = world.close();
        assert_eq!((decided.decisions[0].via, decided.decisions[0].verdict), (via, Verdict::Allowed));
    }
}

#[test]
fn curl_shows_why_it_was_refused() {
    let world = World::open(crate::world::nobody());
    let proxy = format!("http://{}", world.proxy);
    let Some(shown) = curl(&["--proxy", &proxy, "http://evil.test/"]) else { return };
    assert!(shown.contains("allow it with --net evil.test"), "{shown}");
    let Some(shown) = curl(&["--proxy", &proxy, "https://evil.test/"]) else { return };
    assert!(shown.contains("403"), "{shown}");
}

#[test]
fn a_real_hello_passes_whole() {
    let (heard, hears) = mpsc::channel();
    let heard = std::sync::Mutex::new(heard);
    let world = World::open(server(move |mut client| {
        let mut start = [0; 5];
        client.read_exact(&mut start).unwrap();
        let length = u64::from(u16::from_be_bytes([start[3], start[4]]));
        let hello = rest(&mut (&mut client).take(length));
        heard.lock().unwrap().send(hello).unwrap();
    }));
    let proxy = format!("http://{}", world.proxy);
    if curl(&["--proxy", &proxy, "https://good.test/"]).is_none() {
        return;
    }
    assert!(hears.recv().unwrap().contains("good.test"));
    let (_, decided) = world.close();
    assert_eq!((decided.decisions.len(), decided.decisions[0].verdict), (1, Verdict::Allowed));
}
