//! Arithmetic and text of numbers that are the same on every machine.
//!
//! `f64::exp` and `f64::ln` are the system's: their last bit differs between C libraries and processors, and rounding to fewer digits
//! only makes a visible difference rare. So the two are computed here from `+ - * /`, whose results IEEE 754 fixes to the bit. Values
//! that are drawn are then rounded to [`DIGITS`] significant digits, for readers; values that somebody wrote are kept.

/// Significant digits of a value that is drawn. Twelve can be read, and are far finer than any hyperparameter matters.
const DIGITS: usize = 12;

const LN_2: f64 = std::f64::consts::LN_2;
/// The first 32 bits of ln 2, so that its product with an exponent is exact, and the rest.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The nearest number of twelve significant digits.
pub(crate) fn round(number: f64) -> f64 {
    let text = format!("{number:.digits$e}", digits = DIGITS - 1);
    let rounded: f64 = text.parse().unwrap_or(number);
    without_sign_of_zero(rounded)
}

/// `-0.0` is another text for the same value.
pub(crate) fn without_sign_of_zero(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

/// The fewest digits that read back as the same number; with a point or an exponent, so that it is no integer.
pub(crate) fn text(number: f64) -> String {
    let scientific = format!("{:e}", without_sign_of_zero(number));
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    match exponent {
        // From 0.0001 up, small numbers are written out.
        -4..=-1 => format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
        0..=15 => {
            let whole = exponent as usize + 1;
            let padded = format!("{digits:0<whole$}");
            let (before, after) = padded.split_at(whole);
            format!("{sign}{before}.{}", if after.is_empty() { "0" } else { after })
        }
        _ => format!("{sign}{mantissa}e{exponent}"),
    }
}

/// Natural logarithm of a positive, normal number.
pub(crate) fn ln(number: f64) -> f64 {
    let bits = number.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    // ln m = 2 artanh s with s = (m - 1) / (m + 1), at most 0.172: the thirteenth term is below 2^-60.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = (0..13).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    let exponent = exponent as f64;
    exponent * LN_2_HIGH + (2.0 * s * series + exponent * LN_2_LOW)
}

/// The exponential, of arguments whose result is a normal number.
pub(crate) fn exp(number: f64) -> f64 {
    let power = (number / LN_2).round().clamp(-1022.0, 1023.0);
    let rest = (number - power * LN_2_HIGH) - power * LN_2_LOW;
    // At most 0.35: the sixteenth term of the series is below 2^-64.
    let series = (1..=16).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    series * f64::from_bits(((power as i64 + 1023) as u64) << 52)
}

/// The point below which a standard normal variable is found with this probability: P. J. Acklam's rational approximation, whose
/// relative error of 1.2e-9 is invisible in what is drawn.
pub(crate) fn normal_quantile(probability: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    const TAIL: f64 = 0.02425;
    let tail = |probability: f64| {
        let q = (-2.0 * ln(probability)).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if probability < TAIL {
        return tail(probability);
    }
    if probability > 1.0 - TAIL {
        return -tail(1.0 - probability);
    }
    let q = probability - 0.5;
    polynomial(&A, q * q) * q / polynomial(&B, q * q)
}

/// The highest power first.
fn polynomial(coefficients: &[f64], at: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * at + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_short_and_no_integers() {
        for (number, expected) in [
            (0.0, "0.0"),
            (-0.0, "0.0"),
            (1.0, "1.0"),
            (-12.5, "-12.5"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-5"),
            (123_456.0, "123456.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (-2.5e300, "-2.5e300"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ] {
            assert_eq!(text(number), expected);
        }
    }

    #[test]
    fn rounded_to_twelve_digits() {
        for (number, expected) in
            [(1.0 / 3.0, 0.333_333_333_333), (2e-5 / 3.0, 6.666_666_666_67e-6), (-0.0, 0.0), (1e300, 1e300)]
        {
            assert_eq!(round(number).to_bits(), f64::to_bits(expected), "{number}");
        }
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (probability, expected) in
            [(0.5, 0.0), (0.975, 1.959_963_985), (0.01, -2.326_347_874), (0.999_9, 3.719_016_485)]
        {
            assert!((normal_quantile(probability) - expected).abs() < 1e-8, "{probability}");
        }
    }

    proptest! {
        #[test]
        fn text_reads_back(number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            prop_assert_eq!(text(number).parse::<f64>().unwrap().to_bits(), number.to_bits());
            prop_assert!(text(number).parse::<i64>().is_err());
        }

        #[test]
        fn logarithm_and_exponential_agree_with_the_systems(number in 1e-300_f64..1e300, small in -700.0_f64..700.0) {
            prop_assert!((ln(number) - number.ln()).abs() <= 1e-15 * number.ln().abs().max(1.0));
            prop_assert!((exp(small) / small.exp() - 1.0).abs() < 1e-15);
        }
    }
}
