//! Who may set which key: one row for every key of the configuration.
//!
//! A project's `actum.toml` comes from anywhere, and an agent can write it. It may describe (which packages, what is expected) and
//! it may narrow. Whatever reaches further is the user's: written in the user's own file, or in a project's file whose
//! digest the user has trusted with `actum trust`. docs/design/config.md shows the table. Pure. Start at [`check`].

use super::ConfigError;
use std::path::Path;

/// What a project's own file may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    /// It may set it.
    Describe,
    /// It may set it within bounds; beyond them the file is refused.
    Bounded,
    /// It may ask for less than the user allows. The stricter of both values counts.
    Narrow,
    /// It may ask for less than the user allows. A file that asks for more is refused.
    NarrowOrRefused,
    /// The file is refused unless the user has trusted its digest.
    Trusted,
    /// The file is refused, trusted or not.
    User,
}

#[cfg(test)]
impl Right {
    /// As the documents have it.
    fn shown(self) -> &'static str {
        match self {
            Self::Describe => "may set it",
            Self::Bounded => "may set it within bounds",
            Self::Narrow => "may narrow it; wider values are ignored",
            Self::NarrowOrRefused => "may narrow it; wider values are refused",
            Self::Trusted => "refused without trust",
            Self::User => "refused",
        }
    }
}

/// One key, or all keys below one: `*` stands for any name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) key: &'static str,
    pub(super) right: Right,
    pub(super) why: &'static str,
}

const fn row(key: &'static str, right: Right, why: &'static str) -> Row {
    Row { key, right, why }
}

/// The table. A test compares it with the types that the files are read into.
pub(super) const TABLE: &[Row] = &[
    row("policy.profile", Right::NarrowOrRefused, "only `locked`, or what the user has"),
    row("limits.*", Right::Narrow, "the lower limit counts"),
    row("request.approval", Right::Narrow, "the stricter one counts"),
    row("request.longest", Right::Narrow, "the shorter time counts"),
    row("language.*.names", Right::Trusted, "names a program that runs"),
    row("language.*.extensions", Right::Trusted, "names a program that runs"),
    row("language.*.shebangs", Right::Trusted, "names a program that runs"),
    row("language.*.run", Right::Trusted, "names a program that runs"),
    row("language.*.compile", Right::Trusted, "names a program that runs"),
    row("language.*.check", Right::Trusted, "names a program that runs"),
    row("language.*.version", Right::Trusted, "names a program that runs"),
    row("language.*.package", Right::Trusted, "names a program that runs"),
    row("endings.grace", Right::Narrow, "the shorter time counts"),
    row("changes.keep", Right::Narrow, "the stricter one counts"),
    row("redact.patterns", Right::Bounded, "every line of output is searched for each of them"),
    row("redact.off", Right::User, "weakens what is taken out of records"),
    row("packages.prepare", Right::Narrow, "the stricter one counts"),
    row("packages.allow", Right::Trusted, "silences the check for names that look like popular ones"),
    row("packages.deny", Right::Bounded, "takes packages away"),
    row("packages.index", Right::Trusted, "chooses where packages come from"),
    row("packages.wheels", Right::Trusted, "shows a folder to the installer and chooses what is installed"),
    row("packages.age", Right::Trusted, "chooses which releases are taken"),
    row("packages.strangers", Right::NarrowOrRefused, "only `stop`"),
    row("packages.builds", Right::NarrowOrRefused, "only `false`"),
    row("recover.attempts", Right::Narrow, "the lower number counts"),
    row("recover.builds", Right::Narrow, "the lower number counts"),
    row("recover.raises", Right::Narrow, "the lower number counts"),
    row("recover.times", Right::Narrow, "the lower number counts"),
    row("recover.ceiling.*", Right::Narrow, "the lower ceiling counts"),
    row("experiment.output", Right::Describe, "names folders below the workspace"),
    row("experiment.resume", Right::Trusted, "adds words to a command"),
    row("tasks.agent", Right::Describe, "chooses among responses that the user handed over"),
    row("tasks.require", Right::Trusted, "chooses whose approval is enough"),
    row("tasks.words", Right::Bounded, "chooses among tasks that the user handed over"),
    row("tasks.match", Right::Describe, "chooses among tasks that the user handed over"),
    row("tasks.variables.*", Right::Bounded, "grants nothing; reserved names need trust"),
    row("hook.commands", Right::Narrow, "the stricter one counts"),
    row("hook.walls", Right::Narrow, "only where the user has none, or `locked`"),
    row("hook.block", Right::Narrow, "the stricter one counts"),
    row("expect.*", Right::Describe, "asks for more to be shown"),
];

/// Names that mean something to Actum, to loaders, interpreters and clients: setting one is more than handing in a value.
const RESERVED: &[&str] = &[
    "DATABASE_URL",
    "PG*",
    "MYSQL_*",
    "REDIS_*",
    "ACTUM_*",
    "PATH",
    "HOME",
    "SHELL",
    "USER",
    "LOGNAME",
    "PWD",
    "TMPDIR",
    "TMP",
    "TEMP",
    "IFS",
    "ENV",
    "BASH_ENV",
    "BASH_FUNC_*",
    "PROMPT_COMMAND",
    "PS4",
    "ZDOTDIR",
    "LD_*",
    "DYLD_*",
    "GLIBC_*",
    "GCONV_PATH",
    "MALLOC_*",
    "PYTHON*",
    "PIP_*",
    "UV_*",
    "CONDA_*",
    "VIRTUAL_ENV",
    "NODE_*",
    "NPM_*",
    "YARN_*",
    "DENO_*",
    "BUN_*",
    "RUBY*",
    "GEM_*",
    "BUNDLE_*",
    "PERL*",
    "PHP*",
    "LUA_*",
    "JAVA_*",
    "JDK_*",
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "MAVEN_*",
    "GRADLE_*",
    "R_*",
    "JULIA_*",
    "GO*",
    "CARGO*",
    "RUST*",
    "DOTNET_*",
    "CC",
    "CXX",
    "CFLAGS",
    "LDFLAGS",
    "MAKE*",
    "GIT_*",
    "SSH_*",
    "GPG_*",
    "XDG_*",
    "DBUS_*",
    "DISPLAY",
    "WAYLAND_*",
    "XAUTHORITY",
    "DOCKER_*",
    "KUBECONFIG",
    "AWS_*",
    "AZURE_*",
    "GOOGLE_*",
    "SSL_*",
    "CURL_*",
    "REQUESTS_CA_BUNDLE",
    "OPENSSL_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "FTP_PROXY",
    "HOSTALIASES",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "LESSOPEN",
];

/// Whether a variable is more than a value to the program that finds it.
pub(super) fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    RESERVED.iter().any(|row| match row.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *row,
    })
}

/// More than anybody writes by hand.
const MOST_ENTRIES: usize = 1000;

/// Keys of a project's file that it may set only with the user's trust, in their order. Refuses what trust does not change.
pub(super) fn check(table: &toml::Table, path: &Path) -> Result<Vec<String>, ConfigError> {
    let mut needing = Vec::new();
    for (key, value) in leaves(table) {
        let Some(row) = TABLE.iter().find(|row| is_row_of(row.key, &key)) else {
            // A list in the place of a table would be read as its values in order.
            if TABLE.iter().any(|row| is_above_row(row.key, &key)) {
                return Err(ConfigError::NotATable { path: path.to_path_buf(), key: key.join(".") });
            }
            // Otherwise it is unknown; the types refuse it.
            continue;
        };
        match row.right {
            Right::Describe | Right::Narrow | Right::NarrowOrRefused => {}
            Right::User => {
                let (key, why) = (key.join("."), row.why);
                return Err(ConfigError::UsersKey { path: path.to_path_buf(), key, why });
            }
            Right::Trusted => needing.push(key.join(".")),
            Right::Bounded => {
                let count = value.as_array().map_or(0, Vec::len);
                if count > MOST_ENTRIES {
                    let (key, most) = (key.join("."), MOST_ENTRIES);
                    return Err(ConfigError::TooMany { path: path.to_path_buf(), key, most });
                }
                let is_variable = key.len() == 3 && key[..2] == ["tasks", "variables"];
                if is_variable && is_reserved(key[2]) {
                    needing.push(key.join("."));
                }
            }
        }
    }
    Ok(needing)
}

/// Every key that has a value, with the names above it. An empty table is none.
fn leaves(table: &toml::Table) -> Vec<(Vec<&str>, &toml::Value)> {
    let mut found = Vec::new();
    let mut ahead: Vec<(Vec<&str>, &toml::Value)> =
        table.iter().map(|(name, value)| (vec![name.as_str()], value)).collect();
    while let Some((names, value)) = ahead.pop() {
        // Whatever is below a name of `[expect]` is one expectation.
        let is_expectation = names.len() == 2 && names[0] == "expect";
        match value.as_table().filter(|_| !is_expectation) {
            None => found.push((names, value)),
            Some(below) => {
                for (name, value) in below {
                    ahead.push((names.iter().copied().chain([name.as_str()]).collect(), value));
                }
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// Whether a key is the beginning of a row's.
fn is_above_row(row: &str, key: &[&str]) -> bool {
    let mut names = row.split('.');
    key.iter().all(|name| names.next().is_some_and(|row| row == "*" || row == *name))
        && names.next().is_some()
}

fn is_row_of(row: &str, key: &[&str]) -> bool {
    let names: Vec<&str> = row.split('.').collect();
    names.len() == key.len() && names.iter().zip(key).all(|(row, name)| *row == "*" || row == name)
}

#[cfg(test)]
mod tests;
