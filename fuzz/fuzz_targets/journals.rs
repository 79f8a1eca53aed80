//! Journals of changes that are being placed.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    actum_run::foreign::journal(bytes);
});
