//! Protobuf as far as events need it: the fields of a message, one after the other. Messages inside are bytes.

/// The value of one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(&'a [u8]),
    Fixed32([u8; 4]),
}

/// The next field of a message, by its number. `None` at the end, or where the bytes are no field.
pub(super) fn next<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let key = varint(bytes)?;
    let value = match key & 7 {
        0 => Value::Varint(varint(bytes)?),
        1 => Value::Fixed64(*take(bytes, 8)?.first_chunk()?),
        2 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            Value::Bytes(take(bytes, length)?)
        }
        5 => Value::Fixed32(*take(bytes, 4)?.first_chunk()?),
        // Groups ended with the first version of the language; 6 and 7 mean nothing.
        _ => return None,
    };
    Some((key >> 3, value))
}

/// All fields of a message; `None` where it is not whole.
pub(super) fn all(mut bytes: &[u8]) -> Option<Vec<(u64, Value<'_>)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        fields.push(next(&mut bytes)?);
    }
    Some(fields)
}

pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..10 {
        let [byte] = *take(bytes, 1)?.first_chunk::<1>()?;
        // Bits past the 64th are lost, as with every other reader.
        number |= u64::from(byte & 0x7f) << (7 * place).min(63);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_many_bytes() {
        for (bytes, expected) in [
            (&[0x00][..], Some(0)),
            (&[0xac, 0x02], Some(300)),
            (&[0xff; 9], None),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], Some(u64::MAX)),
            (&[0x80; 11], None),
        ] {
            assert_eq!(varint(&mut &*bytes), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn a_field_that_is_cut_is_none() {
        assert_eq!(all(&[0x0a, 0x05, 1, 2]), None);
        assert_eq!(all(&[0x0b]), None);
        assert_eq!(all(&[0x08, 0x07]), Some(vec![(1, Value::Varint(7))]));
    }
}
