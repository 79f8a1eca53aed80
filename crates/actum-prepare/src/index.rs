//! Which package index is asked, and which hosts a client must reach for that.
//!
//! The address comes from `[packages]`, else from the clients' own variables, else from their settings, else from the client
//! itself: no index is named in our code. Files often lie on another host than the index; the index's own pages link to them,
//! so those hosts are reachable as well, and no others. Whatever comes from there is held against the hashes of the lock.
//!
//! An index may have an address that is not public, as mirrors of a company have: the user named the index, so its address is
//! granted. A host that it merely links to gets no such trust.

use super::cache::Cache;
use super::confined::{Program, Reachable, Task, carry_out};
use super::error::PrepareError;
use super::wanted::{Kit, Reach};
use actum_egress::Outside;
use actum_egress::Server;
use actum_model::{Digest, HostRule, Span};
use actum_sandbox::TrustedTool;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

/// The indexes of one preparation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Indexes {
    /// The address of the one that has everything. It may hold a password, so it travels in variables, never in commands.
    pub(super) main: Option<String>,
    pub(super) more: Vec<String>,
}

/// Variables that name the index, the most important one first.
const VARIABLES: [&str; 3] = ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"];
const MORE_VARIABLES: [&str; 3] = ["UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"];

/// What the user has set, before any client is asked for its own default.
pub(super) fn configured(kit: &Kit<'_>) -> Indexes {
    if kit.packages.reach == Reach::Offline {
        return Indexes { main: None, more: Vec::new() };
    }
    let variable = |name: &&str| {
        let found = kit.attempt.variables.iter().find(|(other, _)| other == *name)?;
        found.1.to_str().map(str::to_owned).filter(|value| !value.is_empty())
    };
    let main = kit.packages.index.clone().or_else(|| VARIABLES.iter().find_map(variable));
    let settings = || kit.packages.settings.iter().filter_map(|path| super::settings_text(path));
    let main = main.or_else(|| settings().find_map(|text| setting(&text)));
    let mut more = kit.packages.more.clone();
    if kit.packages.index.is_none() {
        let named = MORE_VARIABLES.iter().filter_map(variable);
        more.extend(named.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()));
    }
    Indexes { main, more }
}

/// `index-url = …` of `pip.conf` and `uv.toml`, or the default of uv's `[[index]]`.
fn setting(text: &str) -> Option<String> {
    let value = |line: &str, name: &str| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (key.trim() == name && value.contains("://")).then(|| value.to_owned())
    };
    text.lines().find_map(|line| value(line, "index-url").or_else(|| value(line, "default-index")))
}

/// The address that a client's help or its library names as its default.
pub(super) fn default_in(text: &str) -> Option<String> {
    let start = text.find("https://")?;
    let address: String =
        text[start..].chars().take_while(|c| !c.is_whitespace() && !">])\"',".contains(*c)).collect();
    (address.len() > "https://".len()).then_some(address)
}

/// The first index that a project names and the user does not.
pub(super) fn unnamed<'p>(
    project: &'p [String],
    indexes: &Indexes,
    default: Option<&str>,
) -> Option<&'p String> {
    let plain = |url: &str| without_password(url).trim_end_matches('/').to_ascii_lowercase();
    let known: Vec<String> = indexes.all().map(String::as_str).chain(default).map(plain).collect();
    project.iter().find(|url| !known.contains(&plain(url)))
}

/// The host and port of an address.
pub(super) fn host_of(url: &str) -> Result<(String, u16), PrepareError> {
    let refused = |why| PrepareError::Index { url: without_password(url), why };
    let (scheme, rest) = url.split_once("://").ok_or_else(|| refused("it is not a URL"))?;
    let port = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return Err(refused("only https and http are supported")),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let (host, given) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match place.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    let port = match given {
        Some(text) => text.parse().map_err(|_| refused("its port is not a number"))?,
        None => port,
    };
    if host.is_empty() { Err(refused("it has no host name")) } else { Ok((host.to_owned(), port)) }
}

/// An address as it may be shown.
pub(super) fn without_password(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
            format!("{scheme}://{place}{path}")
        }
        None => url.to_owned(),
    }
}

/// How far a host is trusted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// The user named it.
    Named,
    /// An index links to it.
    Linked,
}

/// Adds one host.
fn admit(reachable: &mut Reachable, (host, port): (&str, u16), trust: Trust) -> Result<(), PrepareError> {
    let shown = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let refused = |_| PrepareError::Index { url: shown.clone(), why: "its host name is not valid" };
    let mut rules = vec![format!("{shown}:{port}").parse::<HostRule>().map_err(refused)?];
    let is_own = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    if is_own {
        if trust == Trust::Linked && !reachable.servers.iter().any(|server| server.port == port) {
            return Ok(());
        }
        let server = Server { host: host.to_owned(), port };
        if !reachable.servers.contains(&server) {
            reachable.servers.push(server);
        }
        // A name is looked up, and what it leads to is not public.
        if host == "localhost" {
            rules
                .extend(["127.0.0.1", "[::1]"].iter().filter_map(|own| format!("{own}:{port}").parse().ok()));
        }
    } else if trust == Trust::Named && host.parse::<IpAddr>().is_err() {
        let found = Outside::system().resolve.resolve(host).unwrap_or_default();
        let near =
            found.into_iter().filter(|address| !actum_egress::is_public(*address) && is_private(*address));
        rules.extend(near.filter_map(|address| address_rule(address, port)));
    }
    rules.retain(|rule| !reachable.rules.contains(rule));
    reachable.rules.extend(rules);
    Ok(())
}

/// Addresses of a company's own network, and of nets that are set aside; never where machines keep their own secrets.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            !(address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_multicast())
        }
        IpAddr::V6(address) => {
            !(address.is_loopback() || address.is_unspecified() || address.is_multicast())
                && address.segments()[0] & 0xffc0 != 0xfe80
        }
    }
}

fn address_rule(address: IpAddr, port: u16) -> Option<HostRule> {
    match address {
        IpAddr::V4(address) => format!("{address}:{port}").parse().ok(),
        IpAddr::V6(address) => format!("[{address}]:{port}").parse().ok(),
    }
}

impl Indexes {
    /// Every address.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.main.iter().chain(&self.more)
    }

    /// The name of what is known about where their files are.
    pub(super) fn links(&self) -> String {
        let shown: Vec<String> = self.all().map(|url| without_password(url)).collect();
        format!("links-{}", Digest::of(shown.join(" ").as_bytes()))
    }

    /// What uv reads them from.
    pub(super) fn variables(&self) -> Vec<(OsString, OsString)> {
        let main = self.main.iter().map(|url| ("UV_DEFAULT_INDEX".into(), url.into()));
        let more = (!self.more.is_empty()).then(|| ("UV_INDEX".into(), self.more.join(" ").into()));
        main.chain(more).collect()
    }
}

/// The hosts of these addresses, which the user named.
pub(super) fn hosts_of<'u>(urls: impl Iterator<Item = &'u String>) -> Result<Reachable, PrepareError> {
    let mut reachable = Reachable::default();
    for url in urls {
        let (host, port) = host_of(url)?;
        admit(&mut reachable, (&host, port), Trust::Named)?;
    }
    Ok(reachable)
}

/// A page takes a moment; several are asked at once.
const PAGES: Span = Span::seconds(60);
const LINKS: &str = include_str!("links.py");

/// The hosts to reach for these indexes: their own, and those that their pages of these packages link to.
pub(super) fn reachable(
    kit: &Kit<'_>,
    cache: &Cache,
    indexes: &Indexes,
    (python, names): (&TrustedTool, &[String]),
) -> Result<Reachable, PrepareError> {
    let mut reachable = hosts_of(indexes.all())?;
    if reachable.rules.is_empty() {
        return Ok(reachable);
    }
    let fact = indexes.links();
    let known: Option<Vec<(String, u16)>> = cache.known(&fact);
    let links = match known {
        Some(links) => links,
        None => {
            let links = links(kit, cache, indexes, (python, names), &reachable)?;
            if !links.is_empty() {
                cache.note(&fact, &links);
            }
            links
        }
    };
    for (host, port) in &links {
        // A page may link anywhere; what is no host's name is no host.
        let _ = admit(&mut reachable, (host, *port), Trust::Linked);
    }
    Ok(reachable)
}

/// Reads pages of the indexes, inside the walls.
fn links(
    kit: &Kit<'_>,
    cache: &Cache,
    indexes: &Indexes,
    (python, names): (&TrustedTool, &[String]),
    reachable: &Reachable,
) -> Result<Vec<(String, u16)>, PrepareError> {
    let mut arguments: Vec<OsString> = ["-I", "-S", "-c", LINKS].map(OsString::from).to_vec();
    // A few packages show where files are; asking for all of them would be as slow as resolving.
    arguments.extend(names.iter().take(3).map(OsString::from));
    let mut variables = client_variables(kit);
    let all: Vec<&str> = indexes.all().map(String::as_str).collect();
    variables.push(("ACTUM_INDEXES".into(), all.join(" ").into()));
    let task = Task {
        doing: "read the package index",
        program: Program::Tool(python.clone()),
        arguments,
        folder: &cache.nowhere(),
        reads: certificates(kit),
        writes: Vec::new(),
        variables,
        hosts: Some(reachable),
        wall: PAGES,
    };
    let said = carry_out(kit, &task)?;
    let line = |line: &str| {
        let (host, port) = line.rsplit_once(' ')?;
        Some((host.to_owned(), port.parse().ok()?))
    };
    // An index that cannot be reached is told by who asks it next, in better words.
    Ok(said.text().lines().take(64).filter_map(line).collect())
}

/// Variables that clients read to know whom to trust. They name files.
const TRUST: [&str; 7] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "UV_SYSTEM_CERTS",
];

/// What every client inside gets of the caller's variables.
pub(super) fn client_variables(kit: &Kit<'_>) -> Vec<(OsString, OsString)> {
    let is_trust = |name: &OsString| TRUST.iter().any(|trust| name == *trust);
    kit.attempt.variables.iter().filter(|(name, _)| is_trust(name)).cloned().collect()
}

/// The files that these name, where the system's own folders do not show them.
pub(super) fn certificates(kit: &Kit<'_>) -> Vec<PathBuf> {
    let shown = [
        "/etc/ssl/certs",
        "/etc/pki/tls/certs",
        "/etc/pki/ca-trust/extracted",
        "/etc/ca-certificates",
        "/usr",
        "/opt",
    ];
    let named = client_variables(kit).into_iter().map(|(_, value)| PathBuf::from(value));
    let mut files: Vec<PathBuf> = named
        .filter(|path| path.is_absolute() && path.exists())
        .filter(|path| !shown.iter().any(|folder| path.starts_with(folder)))
        .collect();
    files.sort();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_out_of_addresses() {
        for (url, host, port) in [
            ("https://packages.example/simple", "packages.example", 443),
            ("http://packages.example", "packages.example", 80),
            ("https://me:secret@packages.example:8443/a@b/", "packages.example", 8443),
            ("http://[::1]:3141/root", "::1", 3141),
            ("http://127.0.0.1:9/simple", "127.0.0.1", 9),
        ] {
            assert_eq!(host_of(url).unwrap(), (host.to_owned(), port), "{url}");
        }
        for url in ["packages.example", "file:///etc", "https://", "https://x:y:z/", "ftp://a.example"] {
            assert!(host_of(url).is_err(), "{url}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(
            without_password("https://me:se/cret@a.example/x"),
            "https://me:se/cret@a.example/x",
            "not one by the grammar"
        );
        assert_eq!(without_password("https://me:secret@a.example/x@y"), "https://a.example/x@y");
        let error = host_of("ftp://me:secret@a.example").unwrap_err();
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn settings_of_the_clients_are_read() {
        assert_eq!(
            setting("[global]\nindex-url = https://a.example/simple\n").as_deref(),
            Some("https://a.example/simple")
        );
        assert_eq!(setting("index-url = \"https://b.example\"").as_deref(), Some("https://b.example"));
        assert_eq!(setting("[global]\ncert = /etc/x\nextra-index-url = https://c.example"), None);
    }

    #[test]
    fn a_project_chooses_no_index() {
        let indexes = Indexes { main: Some("https://a.example/simple".to_owned()), more: Vec::new() };
        let first = |urls: &[&str]| {
            let urls: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
            unnamed(&urls, &indexes, Some("https://d.example/simple")).cloned()
        };
        assert_eq!(first(&["https://A.example/simple/", "https://d.example/simple"]), None);
        assert_eq!(
            first(&["https://a.example.evil/simple"]).as_deref(),
            Some("https://a.example.evil/simple")
        );
    }

    #[test]
    fn a_client_tells_its_default() {
        let help =
            "The default package index (by default: <https://index.example/simple>) [env: UV_DEFAULT_INDEX]";
        assert_eq!(default_in(help).as_deref(), Some("https://index.example/simple"));
        assert_eq!(default_in("nothing"), None);
        assert_eq!(default_in("https://"), None);
    }

    #[test]
    fn only_an_index_leads_to_addresses_near_home() {
        let mut reachable = Reachable::default();
        admit(&mut reachable, ("127.0.0.1", 3141), Trust::Linked).unwrap();
        assert_eq!(reachable, Reachable::default(), "a page cannot lead to our own loopback");
        admit(&mut reachable, ("127.0.0.1", 3141), Trust::Named).unwrap();
        assert_eq!(reachable.servers, [Server { host: "127.0.0.1".to_owned(), port: 3141 }]);
        assert!(!is_private("169.254.169.254".parse().unwrap()));
        assert!(!is_private("fe80::1".parse().unwrap()));
        assert!(is_private("10.0.0.1".parse().unwrap()));
    }
}
