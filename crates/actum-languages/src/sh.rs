//! The POSIX shell. Without a label or a first line that names it, code is taken for [`bash`](super::bash), which runs it
//! too; so it has no marks of its own.

use super::{Check, Encoding, Language, Runtime, Template, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "sh".to_owned(),
        title: "POSIX shell".to_owned(),
        names: words("posix dash ash"),
        extensions: words("sh"),
        shebangs: words("sh dash ash"),
        encoding: Encoding::Bytes,
        staged_as: "main.sh".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("sh {file} {args}"),
            checks: vec![Check::reading(Template::words("sh -n {file}"))],
            // Dash tells no version.
            version: Template::default(),
            shown_inline: Template::words("{code}"),
            ..Runtime::default()
        }],
        install: package("dash", &["apk add busybox"]),
        ..Language::default()
    }
}
