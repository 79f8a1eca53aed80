//! Which values a run must not tell: those that were granted by name, and those of the workspace's `.env`.

use crate::defaults::Redact;
use crate::request::{RequestBuilder, variable};
use actum_gate::Root;
use actum_run::redact::{Known, Redaction, Sought, dotenv_variables};
use actum_sandbox::{Request, Variable};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Files that programs read their secrets from.
const NAMES: [&str; 2] = [".env", ".env.local"];
/// More than any of them has.
const LONGEST: u64 = 64 << 10;

/// What is taken out of everything that is kept and told about a run.
pub(crate) fn for_request(request: &Request, chosen: &Redact) -> Redaction {
    let files = if chosen.is_off(Redact::DOTENV) { Vec::new() } else { of_files(request) };
    let in_files = files.iter().map(|(name, value)| Known { name, value });
    let granted = request.granted_variables.iter().filter_map(|variable| granted(variable, request));
    let granted = granted.filter(|_| !chosen.is_off(Redact::ENV));
    Redaction::new(&Sought {
        known: granted.chain(in_files).collect(),
        off: &chosen.off,
        added: &chosen.patterns,
    })
}

impl RequestBuilder {
    /// What is not to be shown of its own words.
    pub fn redaction(&self, chosen: &Redact) -> Redaction {
        let variables: Vec<Variable> = self.variables.iter().map(variable).collect();
        let known = variables.iter().filter_map(|variable| match variable {
            Variable::Set(name, value) => Some(Known { name: name.as_bytes(), value: value.as_bytes() }),
            Variable::Inherited(_) => None,
        });
        Redaction::new(&Sought { known: known.collect(), off: &chosen.off, added: &chosen.patterns })
    }
}

fn granted<'r>(variable: &'r Variable, request: &'r Request) -> Option<Known<'r>> {
    let (name, value) = match variable {
        Variable::Set(name, value) => (name, value),
        Variable::Inherited(name) => (name, &request.variables.iter().find(|(other, _)| other == name)?.1),
    };
    Some(Known { name: name.as_bytes(), value: value.as_bytes() })
}

fn of_files(request: &Request) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut folders = vec![&request.workspace, &request.folder];
    folders.dedup();
    // A link that leads out of the folder is not followed: a repository would choose which of the user's files is read.
    let roots = folders.iter().filter_map(|folder| Root::open(folder).ok());
    let texts = roots.flat_map(|root| NAMES.map(|name| read(&root, name)));
    texts.flatten().flat_map(|text| dotenv_variables(&text)).collect()
}

/// As much of a file as is looked at.
fn read(root: &Root, name: &str) -> Option<Vec<u8>> {
    let file = root.open_file(Path::new(name)).ok()?;
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text).ok()?;
    Some(text)
}
