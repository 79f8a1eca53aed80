//! `actum.toml` of a project.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    actum::foreign::project_file(text);
});
