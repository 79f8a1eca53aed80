//! The catalogue's attempts on the proxy (`nw-proxy-*`), as plain values.

use super::*;

const RULES: [&str; 5] = ["example.com", "*.wild.org", "git.example.net:22", "1.2.3.4", "127.0.0.1:8080"];

fn rules(texts: &[&str]) -> Vec<HostRule> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// Grammar and list together, as a request meets them.
fn verdict(texts: &[&str], authority: &str) -> Result<(), Refusal> {
    target(&rules(texts), &Asked::from_authority(authority, None)?)
}

fn ips(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn granted_pairs_pass() {
    for authority in [
        "example.com:443",
        "example.com:80",
        "EXAMPLE.COM.:443",
        "a.wild.org:443",
        "a.b.wild.org:80",
        "git.example.net:22",
        "1.2.3.4:443",
        "127.0.0.1:8080",
    ] {
        assert_eq!(verdict(&RULES, authority), Ok(()), "{authority}");
    }
}

#[test]
fn nw_proxy_empty_list_is_nothing() {
    assert_eq!(verdict(&[], "example.com:443"), Err(Refusal::Unlisted));
    assert_eq!(verdict(&[], "1.2.3.4:443"), Err(Refusal::Literal));
    assert_eq!(lookup(&[], "example.com"), Err(Refusal::Unlisted));
}

#[test]
fn nw_proxy_suffix_needs_whole_labels() {
    for authority in [
        "evil-example.com:443",
        "evilexample.com:443",
        "example.com.evil:443",
        "a.example.com:443",
        "com:443",
        "wild.org:443",
        "evilwild.org:443",
        "xn--exmple-cua.com:443",
    ] {
        assert_eq!(verdict(&RULES, authority), Err(Refusal::Unlisted), "{authority}");
    }
    assert_eq!(verdict(&RULES, "ex\u{430}mple.com:443"), Err(Refusal::Grammar));
}

#[test]
fn nw_proxy_null_byte_is_no_name() {
    for authority in ["evil.com\0.example.com:443", "evil.com\0example.com:443", "evil.com%00.wild.org:443"] {
        assert_eq!(verdict(&RULES, authority), Err(Refusal::Grammar), "{authority:?}");
    }
}

#[test]
fn nw_proxy_ip_literal_must_be_listed_itself() {
    for authority in
        ["93.184.216.34:443", "[::ffff:1.2.3.4]:443", "[::1.2.3.4]:443", "[2002:102:304::]:443", "[::1]:8080"]
    {
        assert_eq!(verdict(&RULES, authority), Err(Refusal::Literal), "{authority}");
    }
    for authority in ["16909060:443", "0x01020304:443", "0x1.2.3.4:443", "01.02.03.04:443", "1.2.772:443"] {
        assert_eq!(verdict(&RULES, authority), Err(Refusal::Grammar), "{authority}");
    }
}

#[test]
fn nw_proxy_port_is_half_of_the_grant() {
    for authority in
        ["example.com:22", "example.com:25", "git.example.net:443", "127.0.0.1:80", "1.2.3.4:8443"]
    {
        assert_eq!(verdict(&RULES, authority), Err(Refusal::Port), "{authority}");
    }
}

#[test]
fn nw_proxy_rebinding_spoils_the_whole_name() {
    let granted = rules(&RULES);
    for resolved in [
        &["127.0.0.1"][..],
        &["93.184.216.34", "10.0.0.1"],
        &["::1", "93.184.216.34"],
        &["169.254.169.254"],
        &["fd00:ec2::254"],
        &["::ffff:169.254.169.254"],
    ] {
        assert_eq!(
            addresses(&granted, Some(443), &ips(resolved)),
            Err(Refusal::PrivateAddress),
            "{resolved:?}"
        );
    }
    let good = ips(&["93.184.216.34", "2606:2800::1"]);
    assert_eq!(addresses(&granted, Some(443), &good), Ok(good));
}

#[test]
fn a_private_address_that_is_granted_itself_does_not_spoil_a_name() {
    let granted = rules(&["intranet.corp", "10.0.0.5"]);
    assert_eq!(addresses(&granted, Some(443), &ips(&["10.0.0.5"])), Ok(ips(&["10.0.0.5"])));
    assert_eq!(addresses(&granted, None, &ips(&["10.0.0.5"])), Ok(ips(&["10.0.0.5"])));
    assert_eq!(addresses(&granted, Some(22), &ips(&["10.0.0.5"])), Err(Refusal::PrivateAddress));
}

#[test]
fn addresses_are_few_and_different() {
    let many: Vec<IpAddr> = (0..40u8).map(|last| IpAddr::from([93, 184, 216, last / 2])).collect();
    assert_eq!(addresses(&[], None, &many).unwrap().len(), ADDRESSES);
    assert_eq!(addresses(&[], None, &ips(&["1.1.1.1", "1.1.1.1"])).unwrap().len(), 1);
}

#[test]
fn nw_proxy_sni_fronting_is_refused() {
    let tls = |name: &str| Opening::Tls(Some(name.to_owned()));
    let name = Asked::from_authority("example.com:443", None).unwrap();
    let address = Asked::from_authority("1.2.3.4:443", None).unwrap();
    let other_port = Asked::from_authority("example.com:8443", None).unwrap();
    for (asked, first, expected) in [
        (&name, tls("example.com"), Ok(())),
        (&name, tls("EXAMPLE.com."), Ok(())),
        (&name, tls("evil.com"), Err(Refusal::ServerName)),
        (&name, tls("a.example.com"), Err(Refusal::ServerName)),
        (&name, tls("evil.com\0.example.com"), Err(Refusal::ServerName)),
        (&name, Opening::Tls(None), Err(Refusal::ServerName)),
        (&name, Opening::Plain, Err(Refusal::Malformed)),
        (&address, Opening::Tls(None), Ok(())),
        (&address, tls("1.2.3.4"), Ok(())),
        (&address, tls("evil.com"), Err(Refusal::ServerName)),
        (&other_port, Opening::Plain, Ok(())),
        (&other_port, tls("evil.com"), Err(Refusal::ServerName)),
    ] {
        assert_eq!(opening(asked, &first), expected, "{asked} {first:?}");
    }
}

#[test]
fn nw_dns_exfil_only_granted_names_are_looked_up() {
    let granted = rules(&RULES);
    assert_eq!(lookup(&granted, "example.com"), Ok(()));
    assert_eq!(lookup(&granted, "git.example.net"), Ok(()), "on whatever port");
    assert_eq!(lookup(&granted, "c2VjcmV0.evil.com"), Err(Refusal::Unlisted));
    assert_eq!(lookup(&granted, "c2VjcmV0.example.com"), Err(Refusal::Unlisted));
}
