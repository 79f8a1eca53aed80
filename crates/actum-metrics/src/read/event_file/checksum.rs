//! The checksum of a frame: CRC-32 with Castagnoli's polynomial, rotated and shifted so that a checksum of data that itself
//! holds checksums is no weaker.

/// The polynomial with its bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;
const MASK: u32 = 0xa282_ead8;
const TABLES: [[u32; 256]; 8] = tables();

/// A checksum of bytes that come in pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checksum(u32);

impl Default for Checksum {
    fn default() -> Self {
        Self(!0)
    }
}

impl Checksum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        // Eight bytes a round: a hundred megabytes of pictures are passed over in a moment.
        for word in words {
            let mixed = u64::from_le_bytes(*word) ^ u64::from(self.0);
            let part = |at: usize| TABLES[7 - at][(mixed >> (8 * at)) as usize & 0xff];
            self.0 = (0..8).fold(0, |sum, at| sum ^ part(at));
        }
        for byte in rest {
            self.0 = self.0 >> 8 ^ TABLES[0][((self.0 ^ u32::from(*byte)) & 0xff) as usize];
        }
    }

    pub(super) fn masked(self) -> u32 {
        (!self.0).rotate_right(15).wrapping_add(MASK)
    }
}

/// The checksum of these bytes.
pub(super) fn masked(bytes: &[u8]) -> u32 {
    let mut checksum = Checksum::default();
    checksum.add(bytes);
    checksum.masked()
}

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0_u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut level = 1;
    while level < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[level - 1][byte];
            tables[level][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        level += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_values() {
        let plain = |bytes: &[u8]| {
            let mut checksum = Checksum::default();
            checksum.add(bytes);
            !checksum.0
        };
        // RFC 3720, appendix B.4, and the usual check value.
        assert_eq!(plain(b"123456789"), 0xe306_9283);
        assert_eq!(plain(&[0; 32]), 0x8a91_36aa);
        assert_eq!(plain(&[0xff; 32]), 0x62a8_ab43);
        let rising: Vec<u8> = (0..32).collect();
        assert_eq!(plain(&rising), 0x46dd_794e);
        assert_eq!(plain(b""), 0);
    }
}
