//! What a session's client and holder say to each other.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    actum_run::foreign::session_frames(bytes);
});
