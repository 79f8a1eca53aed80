//! What the system lacks, and what only somebody else can grant: named with what brings it, and never installed or granted here.

use super::{Case, Choice};

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    let subject = case.subject();
    match case.diagnosis.row.as_str() {
        "so-missing" | "ctypes-find" => Some(library(subject)),
        "sh-cmd-missing" | "exe-tesseract" | "exe-missing" | "cc-missing" => Some(command(subject)),
        "c-header-missing" | "uv-needs-header" => {
            Some(named(subject, actum_packages::debian_for_header(subject)))
        }
        "pkgconfig-missing" => Some(named(subject, actum_packages::debian_for_pkg_config(subject))),
        "perl-module-missing" => {
            let module = subject.replace('/', "::");
            Some(named(&module, actum_packages::debian_for_perl(&module)))
        }
        "net-dns" | "net-unreachable" | "net-refused" | "net-timeout" | "net-not-granted" => Some(host(case)),
        _ => None,
    }
}

fn library(name: &str) -> Choice {
    named(name, actum_packages::debian_for_library(name))
}

fn command(name: &str) -> Choice {
    named(name, actum_packages::debian_for_command(name))
}

/// Installing on the machine is its owner's to decide.
fn named(what: &str, package: Option<&str>) -> Choice {
    Choice::Stop(match package {
        Some(package) => format!("`{what}` is in the Debian package {package}: apt install {package}"),
        None => format!("`{what}` is not installed, and no known package provides it"),
    })
}

/// The network is off while a program runs; what the text says it wants is what would have to be granted.
fn host(case: &Case<'_>) -> Choice {
    let said = case.diagnosis.subject.iter().find(|text| text.contains('.') && !text.contains('/')).cloned();
    let read =
        case.reading.and_then(|reading| reading.network.as_ref()).and_then(|one| one.hosts.first().cloned());
    Choice::Stop(match said.or(read) {
        Some(host) => {
            format!("it tries to reach {host}, and network access is off: allow it with --net {host}")
        }
        None => "it tries to reach a host, and network access is off: allow it with --net HOST".to_owned(),
    })
}
