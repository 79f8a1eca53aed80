//! The library of strict runs, filled in with their seed and start. The library itself is `native/preload.c`.

use crate::request::{PinRequest, ProcessIds};

pub(crate) const NAME: &str = "libactum_preload.so";

/// In seconds since 1970: September 1982. Deadlines before it are taken for those of the monotonic clock.
pub(crate) const EARLIEST: u64 = 400_000_000;
/// September 2223, so that nanoseconds fit into 64 bits with a sign and a run of thirty years.
pub(crate) const LATEST: u64 = 8_000_000_000;

const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libactum_preload.so"));
/// What the settings begin with.
const MARK: &[u8; 16] = b"actum-preload-01";
const NANOSECONDS: u64 = 1_000_000_000;

/// The bytes of the library for this run.
pub(crate) fn library(request: &PinRequest) -> Vec<u8> {
    let mut bytes = LIBRARY.to_vec();
    let mixes_process_id = match request.process_ids {
        ProcessIds::Own => 1,
        ProcessIds::Shared => 0,
    };
    let settings = [request.seed.value, request.started_at.saturating_mul(NANOSECONDS), mixes_process_id];
    let start = settings_start(&bytes).expect("BUG: the library has no place for its settings");
    let place = &mut bytes[start..start + 8 * settings.len()];
    for (to, value) in place.chunks_exact_mut(8).zip(settings) {
        to.copy_from_slice(&value.to_ne_bytes());
    }
    bytes
}

fn settings_start(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MARK.len()).position(|window| window == MARK).map(|at| at + MARK.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pin::tests::request;
    use crate::profile::Profile;

    #[test]
    fn the_mark_is_there_once() {
        assert_eq!(LIBRARY.windows(MARK.len()).filter(|window| window == MARK).count(), 1);
    }

    #[test]
    fn only_the_settings_differ() {
        let mut request = request(Profile::Strict);
        request.seed.value = 0x0102_0304_0506_0708;
        let bytes = library(&request);
        let start = settings_start(&bytes).unwrap();
        assert_eq!(bytes[start..start + 8], request.seed.value.to_ne_bytes());
        assert_eq!(bytes[start + 8..start + 16], (request.started_at * NANOSECONDS).to_ne_bytes());
        assert_eq!(bytes[..start], LIBRARY[..start]);
        assert_eq!(bytes[start + 24..], LIBRARY[start + 24..]);
    }

    /// A libc that the library was not built for would refuse to load it.
    #[test]
    fn the_library_asks_for_no_version_of_a_libc() {
        let names = |word: &[u8]| LIBRARY.windows(word.len()).any(|window| window == word);
        assert!(!names(b"GLIBC_") && !names(b"libc.so"));
        assert!(names(b"libdl.so.2"));
    }
}
