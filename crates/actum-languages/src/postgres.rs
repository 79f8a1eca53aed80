//! Where `DATABASE_URL` leads: the servers to grant, and the variables that carry the rest to `psql`. Pure.
//!
//! The address is never an argument. Arguments are seen by every process of a machine and end up in reports; libpq takes the
//! same things from variables of its own.

use super::Variables;
use std::ffi::OsString;
use std::path::PathBuf;

/// PostgreSQL's own port.
const PORT: u16 = 5432;

/// Where Debian's servers and clients meet when no host is named.
const SOCKETS: &str = "/var/run/postgresql";

/// The parameters of an address and the variables of libpq that stand for them.
const PARAMETERS: [(&str, &str); 20] = [
    ("application_name", "PGAPPNAME"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("client_encoding", "PGCLIENTENCODING"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("dbname", "PGDATABASE"),
    ("gssencmode", "PGGSSENCMODE"),
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    ("options", "PGOPTIONS"),
    ("password", "PGPASSWORD"),
    ("port", "PGPORT"),
    ("sslcert", "PGSSLCERT"),
    ("sslcrl", "PGSSLCRL"),
    ("sslkey", "PGSSLKEY"),
    ("sslmode", "PGSSLMODE"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("user", "PGUSER"),
];

/// One server that a connection may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// To be granted on the network.
    Host { host: String, port: u16 },
    /// To be granted as a path.
    Socket { path: PathBuf },
}

/// A connection, read from its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    servers: Vec<Server>,
    variables: Variables,
}

/// Why an address could not be read. The address itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostgresError {
    #[error("cannot read DATABASE_URL: it does not begin with postgres:// or postgresql://")]
    Scheme,
    #[error("cannot read DATABASE_URL: its port is not a number from 1 to 65535")]
    Port,
    #[error("cannot read DATABASE_URL: a % is not followed by two hexadecimal digits of UTF-8 text")]
    Percent,
    #[error("cannot read DATABASE_URL: a bracket of an IPv6 address is not closed")]
    Bracket,
    #[error("cannot read DATABASE_URL: psql has no parameter {name}")]
    Parameter { name: String },
}

impl PostgresError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Parameter { name } => {
                Some(format!("remove {name}= from DATABASE_URL: psql does not support it"))
            }
            Self::Percent => Some("write a % in a password as %25".to_owned()),
            Self::Scheme | Self::Port | Self::Bracket => {
                Some("use the form postgresql://USER:PASSWORD@HOST:PORT/DATABASE".to_owned())
            }
        }
    }
}

impl Connection {
    /// Whether an address is one of PostgreSQL.
    pub fn is_meant(url: &str) -> bool {
        behind_scheme(url).is_some()
    }

    pub fn read(url: &str) -> Result<Self, PostgresError> {
        let rest = behind_scheme(url).ok_or(PostgresError::Scheme)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        // A password may hold an `@`; hosts never do.
        let (who, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = who.split_once(':').unwrap_or((who, ""));
        let mut said = Said::default();
        said.set("user", decode(user)?);
        said.set("password", decode(password)?);
        said.set("dbname", decode(database)?);
        let addressed: Vec<(String, String)> = split_hosts(hosts)?;
        said.set("host", joined(&addressed, |(host, _)| host));
        if addressed.iter().any(|(_, port)| !port.is_empty()) {
            said.set("port", joined(&addressed, |(_, port)| if port.is_empty() { "5432" } else { port }));
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            said.set_parameter(&decode(name)?, decode(value)?)?;
        }
        Ok(Self { servers: said.servers()?, variables: said.variables() })
    }

    /// All servers that libpq may try, in its order.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables.0
    }
}

fn behind_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.trim().split_once("://")?;
    ["postgres", "postgresql"].iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(rest)
}

fn joined<'a>(list: &'a [(String, String)], part: impl Fn(&'a (String, String)) -> &'a str) -> String {
    list.iter().map(part).collect::<Vec<_>>().join(",")
}

/// Hosts with their ports, as written.
fn split_hosts(text: &str) -> Result<Vec<(String, String)>, PostgresError> {
    text.split(',')
        .map(|one| {
            let (host, port) = match one.strip_prefix('[') {
                Some(rest) => {
                    let (host, rest) = rest.split_once(']').ok_or(PostgresError::Bracket)?;
                    (host, rest.strip_prefix(':').unwrap_or(rest))
                }
                None => one.split_once(':').unwrap_or((one, "")),
            };
            Ok((decode(host)?, port.to_owned()))
        })
        .collect()
}

fn decode(text: &str) -> Result<String, PostgresError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (high, low) = (digit().ok_or(PostgresError::Percent)?, digit().ok_or(PostgresError::Percent)?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| PostgresError::Percent)?);
    }
    // A NUL cannot be in a variable.
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or(PostgresError::Percent)
}

/// What the address said, by parameter.
#[derive(Default)]
struct Said(Vec<(&'static str, String)>);

impl Said {
    /// Later ones win, as in libpq; what is empty was not said.
    fn set(&mut self, name: &'static str, value: String) {
        self.0.retain(|(other, _)| *other != name);
        if !value.is_empty() {
            self.0.push((name, value));
        }
    }

    fn set_parameter(&mut self, name: &str, value: String) -> Result<(), PostgresError> {
        let known = PARAMETERS.iter().find(|(known, _)| *known == name);
        let (known, _) = known.ok_or_else(|| PostgresError::Parameter { name: name.to_owned() })?;
        self.set(known, value);
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str())
    }

    fn servers(&self) -> Result<Vec<Server>, PostgresError> {
        // Where an address is given beside the name, the name is only for certificates.
        let hosts = self.get("hostaddr").or(self.get("host")).unwrap_or(SOCKETS);
        let ports: Vec<u16> =
            self.get("port").map_or(Ok(vec![PORT]), |ports| ports.split(',').map(port).collect())?;
        let only = ports.first().filter(|_| ports.len() == 1);
        let numbered = hosts.split(',').enumerate();
        Ok(numbered.map(|(at, host)| server(host, *only.or(ports.get(at)).unwrap_or(&PORT))).collect())
    }

    fn variables(&self) -> Variables {
        let variable = |(name, value): &(&str, String)| {
            let (_, variable) = PARAMETERS.iter().find(|(known, _)| known == name)?;
            Some((OsString::from(variable), OsString::from(value)))
        };
        let mut all: Vec<(OsString, OsString)> = self.0.iter().filter_map(variable).collect();
        all.sort();
        Variables(all)
    }
}

fn port(text: &str) -> Result<u16, PostgresError> {
    if text.is_empty() {
        return Ok(PORT);
    }
    text.parse().ok().filter(|port| *port != 0).ok_or(PostgresError::Port)
}

fn server(host: &str, port: u16) -> Server {
    let folder = if host.is_empty() { SOCKETS } else { host };
    if folder.starts_with('/') {
        return Server::Socket { path: PathBuf::from(folder).join(format!(".s.PGSQL.{port}")) };
    }
    Server::Host { host: host.to_owned(), port }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(url: &str) -> String {
        let connection = Connection::read(url).unwrap();
        let shown = connection.servers().iter().map(|server| match server {
            Server::Host { host, port } => format!("{host} {port}"),
            Server::Socket { path } => path.display().to_string(),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    fn variables(url: &str) -> String {
        let connection = Connection::read(url).unwrap();
        let shown = connection.variables().iter();
        shown
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn servers_are_found() {
        for (url, found) in [
            ("postgres://db.example/shop", "db.example 5432"),
            ("postgresql://u:p@db.example:6000/shop", "db.example 6000"),
            ("POSTGRESQL://u:p%40x@h", "h 5432"),
            ("postgres://u:a@b@h:1/d", "h 1"),
            ("postgres://u@[2001:db8::1]:5433/d", "2001:db8::1 5433"),
            ("postgres://[::1]/d", "::1 5432"),
            ("postgres://a,b:6000,[::1]:7/d?target_session_attrs=any", "a 5432, b 6000, ::1 7"),
            ("postgres:///d", "/var/run/postgresql/.s.PGSQL.5432"),
            ("postgres://", "/var/run/postgresql/.s.PGSQL.5432"),
            ("postgres://%2Ftmp%2Fpg/d", "/tmp/pg/.s.PGSQL.5432"),
            ("postgres:///d?host=/tmp/pg&port=5433", "/tmp/pg/.s.PGSQL.5433"),
            ("postgres://h/d?host=other&port=9", "other 9"),
            ("postgres://name:1/d?hostaddr=192.0.2.7", "192.0.2.7 1"),
            ("postgres:///d?host=a,b&port=9", "a 9, b 9"),
        ] {
            assert_eq!(servers(url), found, "{url}");
        }
    }

    #[test]
    fn everything_else_travels_in_variables() {
        assert_eq!(
            variables("postgres://me:s%2Fcret@h:6000/shop?sslmode=require&application_name=a%20b"),
            "PGAPPNAME=a b PGDATABASE=shop PGHOST=h PGPASSWORD=s/cret PGPORT=6000 PGSSLMODE=require PGUSER=me"
        );
        assert_eq!(variables("postgres://a,b:6000/d"), "PGDATABASE=d PGHOST=a,b PGPORT=5432,6000");
        assert_eq!(variables("postgres://"), "");
    }

    #[test]
    fn what_cannot_be_read_is_told_without_the_address() {
        for (url, error) in [
            ("mysql://u:secret@h/d", PostgresError::Scheme),
            ("postgres:u:secret@h", PostgresError::Scheme),
            ("postgres://u:secret@h:0/d", PostgresError::Port),
            ("postgres://u:secret@h:70000/d", PostgresError::Port),
            ("postgres://u:secret%4@h", PostgresError::Percent),
            ("postgres://u:secret%ff@h", PostgresError::Percent),
            ("postgres://u:secret@[::1/d", PostgresError::Bracket),
            ("postgres://u:secret@h/d?schema=x", PostgresError::Parameter { name: "schema".to_owned() }),
        ] {
            let read = Connection::read(url).unwrap_err();
            assert_eq!(read, error, "{url}");
            assert!(!read.to_string().contains("secret") && read.hint().is_some());
        }
    }

    #[test]
    fn a_password_is_not_in_what_is_printed_for_us() {
        let connection = Connection::read("postgres://u:secret@h/d").unwrap();
        assert!(!format!("{connection:?}").contains("secret"));
    }
}
