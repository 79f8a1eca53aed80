//! What redaction promises, over streams that are cut anywhere.

mod looks;
mod planted;
mod streams;

use super::{Known, Pattern, Redaction, Sought};

/// What a stream becomes when it comes in these pieces.
fn in_pieces<'p>(redaction: &Redaction, pieces: impl IntoIterator<Item = &'p [u8]>) -> (Vec<u8>, u64, u64) {
    let mut redactor = redaction.redactor();
    let mut kept = Vec::new();
    let mut keep = |piece: &[u8]| {
        kept.extend_from_slice(piece);
        Ok(())
    };
    for piece in pieces {
        redactor.take(piece, &mut keep).unwrap();
    }
    redactor.finish(&mut keep).unwrap();
    (kept, redactor.count(), redactor.given_up())
}

fn knowing(values: &[&str]) -> Redaction {
    let known = values.iter().map(|value| Known { name: b"SECRET", value: value.as_bytes() }).collect();
    Redaction::new(&Sought { known, ..Sought::default() })
}

fn looking_for(patterns: &[&str]) -> Redaction {
    let added: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text).unwrap()).collect();
    Redaction::new(&Sought { added: &added, ..Sought::default() })
}
