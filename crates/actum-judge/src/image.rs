//! How large a picture is, from its first bytes.

use crate::finding::Finding;

/// Judges the size of a picture in pixels.
pub(crate) fn judge((width, height): (u64, u64), bytes: &[u8]) -> Finding {
    match imagesize::blob_size(bytes) {
        Ok(size) => {
            let (found_width, found_height) = (size.width as u64, size.height as u64);
            let held = (found_width, found_height) == (width, height);
            Finding::of(held, format!("{found_width}x{found_height} pixels"))
        }
        Err(_) => Finding::broken("no image of a known format"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_size_is_read() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 2, 128, 0, 0, 1, 224, 8, 2, 0, 0, 0]);
        assert!(judge((640, 480), &png).held);
        assert_eq!(judge((1, 1), &png).found, "640x480 pixels");
        assert_eq!(judge((1, 1), b"hello").found, "no image of a known format");
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = judge((1, 1), &bytes);
        }
    }
}
