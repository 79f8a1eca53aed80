//! Other files of a project: what it declares, Makefiles, `.env`, shell and SQL.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    actum_run::foreign::declared(text);
    actum_run::foreign::dotenv(text.as_bytes());
    actum_run::foreign::shell(text);
    actum_run::foreign::sql(text);
    actum_run::foreign::language(text.as_bytes());
    actum::foreign::makefile(text);
    let shown = actum::foreign::shown(text);
    assert!(shown.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\u{1b}')));
});
