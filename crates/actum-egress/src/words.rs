//! What a refused program is told: one line that says what happened and what would change it. Pure.

use crate::asked::Asked;
use actum_model::Refusal;

/// The line for somebody who asked for a host that could be read.
pub(crate) fn refused(asked: &Asked, refusal: Refusal) -> String {
    let (host, grant) = (asked.host_text(), asked.grant_text());
    match refusal {
        Refusal::Unlisted => {
            format!("actum: this run has no access to {asked}; allow it with --net {grant}")
        }
        Refusal::Literal => {
            format!("actum: this run has no access to the address {asked}; allow it with --net {grant}")
        }
        Refusal::Port => {
            let port = asked.port;
            format!(
                "actum: this run has access to {host}, but not to port {port}; allow it with --net {asked}"
            )
        }
        Refusal::PrivateAddress => format!(
            "actum: {host} resolves to an internal address (loopback, private, link-local or metadata); \
             to allow this, pass the address itself with --net"
        ),
        Refusal::ServerName => format!("actum: the Host header of a request for {asked} names another host"),
        Refusal::Grammar | Refusal::Malformed | Refusal::TooMany => unread(refusal).to_owned(),
    }
}

/// The line for somebody who could not be understood, or not be served.
pub(crate) fn unread(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Grammar => "actum: not a valid host name or granted address",
        Refusal::TooMany => "actum: this run has too many open connections",
        Refusal::Malformed
        | Refusal::Literal
        | Refusal::Unlisted
        | Refusal::Port
        | Refusal::PrivateAddress
        | Refusal::ServerName => {
            "actum: not a proxy request: use CONNECT host:port, an absolute http:// URL, or SOCKS5"
        }
    }
}

/// A whole HTTP answer to a refused request.
pub(crate) fn http_refusal(refusal: Refusal, line: &str) -> Vec<u8> {
    let status = match refusal {
        Refusal::Malformed => "400 Bad Request",
        Refusal::TooMany => "503 Service Unavailable",
        Refusal::Grammar
        | Refusal::Literal
        | Refusal::Unlisted
        | Refusal::Port
        | Refusal::PrivateAddress
        | Refusal::ServerName => "403 Forbidden",
    };
    http_answer(status, &format!("X-Actum-Refused: {}\r\n", refusal.word()), line)
}

/// A whole HTTP answer where the host was granted but did not answer.
pub(crate) fn http_failure(asked: &Asked) -> Vec<u8> {
    http_answer(
        "502 Bad Gateway",
        "",
        &format!("actum: access to {asked} is allowed, but connecting to it failed"),
    )
}

fn http_answer(status: &str, header: &str, line: &str) -> Vec<u8> {
    let length = line.len() + 1;
    format!(
        "HTTP/1.1 {status}\r\n{header}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{line}\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_type() {
        let line = |authority, refusal| refused(&Asked::from_authority(authority, None).unwrap(), refusal);
        assert_eq!(
            line("example.com:443", Refusal::Unlisted),
            "actum: this run has no access to example.com:443; allow it with --net example.com"
        );
        assert!(line("example.com:22", Refusal::Port).ends_with("--net example.com:22"));
        assert!(line("[::1]:8080", Refusal::Literal).ends_with("--net [::1]:8080"));
        assert!(line("10.0.0.1:80", Refusal::Literal).ends_with("--net 10.0.0.1"));
    }

    #[test]
    fn an_answer_is_whole() {
        let answer = String::from_utf8(http_refusal(Refusal::Unlisted, "no")).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\nX-Actum-Refused: unlisted\r\n"), "{answer}");
        assert!(answer.ends_with("Content-Length: 3\r\nConnection: close\r\n\r\nno\n"), "{answer}");
    }
}
