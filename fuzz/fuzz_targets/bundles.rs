//! Bundles of strangers: any bytes, and a good bundle with some of its bytes changed, which gets past the headers.

#![no_main]

use libfuzzer_sys::fuzz_target;

const GOOD: &[u8] = include_bytes!("../../crates/actum-store/tests/golden/v1.actum.tar");

fuzz_target!(|input: (Vec<(u32, Vec<u8>)>, &[u8])| {
    let (changes, bytes) = input;
    let _ = actum_store::bundle::verify(bytes, &[]);
    let mut bundle = GOOD.to_vec();
    for (at, new) in &changes {
        let at = *at as usize % bundle.len();
        let length = new.len().min(bundle.len() - at);
        bundle[at..at + length].copy_from_slice(&new[..length]);
    }
    let is_good = bundle == GOOD;
    assert_eq!(actum_store::bundle::verify(bundle.as_slice(), &[]).is_ok(), is_good);
});
