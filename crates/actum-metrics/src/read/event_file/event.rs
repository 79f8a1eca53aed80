//! The scalars of one `Event`: its time, its step, and the values of its summary that are one number.
//!
//! Fields, by the published descriptions of `event.proto`, `summary.proto` and `tensor.proto`:
//! `Event {1 wall_time, 2 step, 5 summary}`, `Summary {1 value}`, `Value {1 tag, 2 simple_value, 8 tensor}`,
//! `TensorProto {1 dtype, 2 shape, 4 content, 5 float, 6 double, 7 int, 10 int64, 13 half}`.

use super::fields::{self, Value, varint};
use crate::point::{MetricPoint, PointSource};
use actum_model::Moment;

/// Types of a tensor's elements.
const FLOAT: u64 = 1;
const DOUBLE: u64 = 2;
const INT32: u64 = 3;
const INT64: u64 = 9;
const BFLOAT16: u64 = 14;
const HALF: u64 = 19;

/// Adds the scalars of an event. `None` where the bytes are no event.
pub(super) fn read(payload: &[u8], source: &PointSource, points: &mut Vec<MetricPoint>) -> Option<()> {
    let (mut time, mut step, mut summaries) = (None, 0, Vec::new());
    for (number, value) in fields::all(payload)? {
        match (number, value) {
            (1, Value::Fixed64(bytes)) => time = moment(f64::from_le_bytes(bytes)),
            (2, Value::Varint(count)) => step = count,
            (5, Value::Bytes(summary)) => summaries.push(summary),
            _ => {}
        }
    }
    // A negative step is a varint with the highest bit.
    let step = i64::try_from(step).ok().and_then(|step| u64::try_from(step).ok());
    for summary in summaries {
        for (number, value) in fields::all(summary)? {
            if let (1, Value::Bytes(one)) = (number, value)
                && let Some((tag, scalar)) = scalar(one)?
            {
                let tag = String::from_utf8_lossy(tag);
                points
                    .extend(MetricPoint::new(&tag, scalar, step, source.clone()).map(|point| point.at(time)));
            }
        }
    }
    Some(())
}

/// The tag and number of a `Value`; the inner option is none for pictures, histograms and text.
fn scalar(bytes: &[u8]) -> Option<Option<(&[u8], f64)>> {
    let (mut tag, mut scalar) = (&b""[..], None);
    for (number, value) in fields::all(bytes)? {
        match (number, value) {
            (1, Value::Bytes(bytes)) => tag = bytes,
            (2, Value::Fixed32(bytes)) => scalar = Some(f64::from(f32::from_le_bytes(bytes))),
            (8, Value::Bytes(tensor)) => scalar = single_element(tensor)?,
            _ => {}
        }
    }
    Some(scalar.map(|scalar| (tag, scalar)))
}

/// The element of a tensor that has one; the inner option is none for all others.
fn single_element(tensor: &[u8]) -> Option<Option<f64>> {
    let (mut kind, mut is_single, mut content, mut listed) = (0, true, None, None);
    for (number, value) in fields::all(tensor)? {
        match (number, value) {
            (1, Value::Varint(number)) => kind = number,
            (2, Value::Bytes(shape)) => is_single &= has_one_element(shape)?,
            (4, Value::Bytes(bytes)) => content = Some(bytes),
            (5..=7 | 10 | 13, value) => {
                is_single &= listed.is_none();
                listed = Some((number, value));
            }
            _ => {}
        }
    }
    let packed = content.filter(|content| !content.is_empty()).and_then(|content| element_of(kind, content));
    let listed = listed.and_then(|(number, value)| element(kind, number, value));
    Some(packed.or(listed).filter(|_| is_single))
}

/// `TensorShapeProto {2 dim {1 size}}`: no dimension, or each of size one.
fn has_one_element(shape: &[u8]) -> Option<bool> {
    for (number, value) in fields::all(shape)? {
        if let (2, Value::Bytes(dimension)) = (number, value) {
            let size = fields::all(dimension)?.into_iter().find(|(number, _)| *number == 1);
            if size != Some((1, Value::Varint(1))) {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// An element as plain bytes, all of them.
fn element_of(kind: u64, content: &[u8]) -> Option<f64> {
    match kind {
        FLOAT => Some(f64::from(f32::from_le_bytes(content.try_into().ok()?))),
        DOUBLE => Some(f64::from_le_bytes(content.try_into().ok()?)),
        INT32 => Some(f64::from(i32::from_le_bytes(content.try_into().ok()?))),
        INT64 => Some(i64::from_le_bytes(content.try_into().ok()?) as f64),
        HALF => Some(half(u16::from_le_bytes(content.try_into().ok()?))),
        BFLOAT16 => Some(bfloat16(u16::from_le_bytes(content.try_into().ok()?))),
        _ => None,
    }
}

/// An element in a list of its type: one number, or such numbers packed, of which there has to be one.
fn element(kind: u64, number: u64, value: Value<'_>) -> Option<f64> {
    let plain = |kind: u64| match value {
        Value::Bytes(bytes) => element_of(kind, bytes),
        Value::Fixed32(bytes) => element_of(kind, &bytes),
        Value::Fixed64(bytes) => element_of(kind, &bytes),
        Value::Varint(_) => None,
    };
    let whole = || match value {
        Value::Varint(number) => Some(number),
        Value::Bytes(mut bytes) => varint(&mut bytes).filter(|_| bytes.is_empty()),
        Value::Fixed32(_) | Value::Fixed64(_) => None,
    };
    match number {
        5 => plain(FLOAT),
        6 => plain(DOUBLE),
        7 | 10 => whole().map(|number| number as i64 as f64),
        13 if kind == BFLOAT16 => whole().map(|number| bfloat16(number as u16)),
        13 => whole().map(|number| half(number as u16)),
        _ => None,
    }
}

/// A number of sixteen bits as IEEE 754 has it.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match (exponent, bits & 0x3ff) {
        (31, 0) => f64::INFINITY,
        (31, _) => f64::NAN,
        (0, _) => fraction * 2_f64.powi(-24),
        (exponent, _) => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

/// The upper half of a number of 32 bits.
fn bfloat16(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// Seconds since 1970.
fn moment(seconds: f64) -> Option<Moment> {
    (0.0..253_402_300_799.0).contains(&seconds).then(|| Moment((seconds * 1e6).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sixteen_bits() {
        for (bits, expected) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2_f64.powi(-24)),
            (0x3555, 0.333_251_953_125),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits), expected, "{bits:x}");
        }
        assert!(half(0x7e00).is_nan());
        assert_eq!(bfloat16(0x3fc0), 1.5);
    }
}
