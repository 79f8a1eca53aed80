//! Front matter of an answer.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    actum::foreign::front_matter(text);
    actum::foreign::front_matter(&format!("---\nexpect:\n{text}\n---\n"));
});
