//! A patch and the file that it changes.

#![no_main]

use actum_answers::{changed, changes_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (&str, &str)| {
    for change in changes_of(texts.0).unwrap_or_default() {
        let _ = changed(&change, Some(texts.1));
        let _ = changed(&change, None);
    }
});
