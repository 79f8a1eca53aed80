//! Lists of task results.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    actum::foreign::task_list(bytes);
});
