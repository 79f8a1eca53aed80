//! What holds for any text: no panic, lines within the text, claims in order, and time that grows with the length alone.

use actum_claims::{Evidence, check, extract};
use actum_model::ClaimStatus;
use proptest::prelude::*;

/// Pieces that claims are made of, in any order.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "all",
        "12",
        "tests",
        "pass",
        "0.93",
        "%",
        "accuracy",
        "from",
        "to",
        "`pytest -q`",
        "out/a.csv",
        "|",
        "\n",
        "ran",
        "no errors",
        "**",
        "exit code",
        "0",
        "->",
        "✅",
        "seed",
        "2m30s",
        "1,000",
        "rows",
        "\n\n- ",
        "| a | b |\n|---|---|\n",
        "actum:last#exit",
        "\"",
        "'",
        "installed",
        "==",
        "1.2.3",
        "µs",
        "e5",
        "~",
        ">=",
        "test_x::y",
        "\u{202e}",
        "\u{0}",
        "```",
        "> ",
    ];
    prop_oneof![proptest::sample::select(words.map(str::to_owned).to_vec()), ".{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read(pieces in proptest::collection::vec(piece(), 0..40)) {
        let text = pieces.join(" ");
        let lines = text.split('\n').count() as u64;
        let claims = extract(&text);
        for claim in &claims {
            prop_assert!(claim.line >= 1 && claim.line <= lines, "{claim:?}");
        }
        prop_assert!(claims.windows(2).all(|pair| pair[0].line <= pair[1].line));
        // Without evidence nothing is verified, and nothing is contradicted.
        for finding in check(&text, &Evidence::default()).findings {
            prop_assert!(![ClaimStatus::Verified, ClaimStatus::Contradicted].contains(&finding.status), "{finding:?}");
        }
    }

    #[test]
    fn any_characters_are_read(text in "\\PC{0,200}") {
        let _ = extract(&text);
    }
}

/// What a search found once: a mark that is left out makes a sentence shorter than the text of it.
#[test]
fn what_is_left_out_is_not_counted() {
    assert!(extract("all all \u{feff} written:\n\n- out/a.csv :").len() <= 1);
}

/// Ten times the text takes about ten times as long; a grammar that looks back over everything would take a hundred.
#[test]
fn a_long_message_is_read() {
    let line = "- All 12 tests pass, accuracy is 93.1% and `pytest -q` ran in 0.3 s ✅\n";
    assert!(!extract(&line.repeat(5_000)).is_empty());
    let hostile = [
        "| ".repeat(20_000),
        "> ".repeat(5_000),
        "* ".repeat(5_000),
        "\"".repeat(20_000),
        "1,".repeat(20_000),
        "a.".repeat(20_000),
    ];
    for text in hostile {
        let _ = extract(&text);
    }
}
