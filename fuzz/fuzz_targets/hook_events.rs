//! Events of coding agents' hooks.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    actum::foreign::hook_event(bytes);
});
