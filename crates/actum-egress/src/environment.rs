//! The variables that lead well-behaved programs to the way out.
//!
//! They are a courtesy, not a wall: a program that ignores them has no route and gets ENETUNREACH.

use std::ffi::OsString;

/// What to set for a program inside, when the proxy's gate is `port` on its loopback.
///
/// Both spellings, since curl reads only the lower-case `http_proxy` and others only the upper. `ALL_PROXY` is
/// `socks5h`, with the h: the *proxy* resolves the name. Plain `socks5` would send addresses, which are not granted.
pub fn proxy_variables(port: u16) -> Vec<(OsString, OsString)> {
    let http = format!("http://127.0.0.1:{port}");
    let socks = format!("socks5h://127.0.0.1:{port}");
    let values = [
        ("HTTP_PROXY", http.as_str()),
        ("HTTPS_PROXY", &http),
        ("ALL_PROXY", &socks),
        ("NO_PROXY", "localhost,127.0.0.1,::1"),
    ];
    let both = |(name, value): (&str, &str)| {
        [(name.into(), value.into()), (name.to_ascii_lowercase().into(), value.into())]
    };
    values.into_iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_lead_to_the_gate() {
        let variables = proxy_variables(3128);
        let value =
            |name| variables.iter().find(|(own, _)| own == name).and_then(|(_, value)| value.to_str());
        assert_eq!(variables.len(), 8);
        assert_eq!(value("http_proxy"), Some("http://127.0.0.1:3128"));
        assert_eq!(value("HTTPS_PROXY"), Some("http://127.0.0.1:3128"));
        assert_eq!(value("ALL_PROXY"), Some("socks5h://127.0.0.1:3128"));
        assert_eq!(value("no_proxy"), Some("localhost,127.0.0.1,::1"));
    }
}
