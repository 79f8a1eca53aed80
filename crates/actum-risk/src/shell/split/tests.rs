use super::*;

fn words(code: &str) -> Vec<Vec<String>> {
    split(code, Kind::Script)
        .into_iter()
        .map(|simple| simple.words.into_iter().map(|word| word.text).collect())
        .collect()
}

#[test]
fn splits_as_a_shell_does() {
    let cases: &[(&str, &[&[&str]])] = &[
        ("a b; c", &[&["a", "b"], &["c"]]),
        ("a && b || c & d | e |& f", &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"]]),
        ("a 'b c' \"d e\" f\\ g", &[&["a", "b c", "d e", "f g"]]),
        ("a 'b'\"c\"d", &[&["a", "bcd"]]),
        ("a '' \"\"", &[&["a", "", ""]]),
        ("a # b\nc#d", &[&["a"], &["c#d"]]),
        ("a 2>&1 >b <c d", &[&["a", "d"]]),
        ("a \\\n b", &[&["a", "b"]]),
        ("a $(b c) d", &[&["b", "c"], &["a", "", "d"]]),
        ("a <<E b\nx y\nE\nc", &[&["a", "b"], &["c"]]),
        ("a <<E; b <<F\n1\nE\n2\nF\nc", &[&["a"], &["b"], &["c"]]),
        ("a 'b", &[&["a", "b"]]),
    ];
    for (code, expected) in cases {
        assert_eq!(words(code), *expected, "{code}");
    }
}

#[test]
fn bodies_pipes_and_targets_belong_to_their_commands() {
    let all = split("a <<E | b >out\n1\n2\nE\nc >>/x\n", Kind::Script);
    assert_eq!(all.len(), 3);
    assert_eq!((all[0].bodies[0].text.as_str(), all[0].bodies[0].line), ("1\n2\n", 2));
    assert_eq!(all[1].reads_from, Some(0));
    assert_eq!(all[1].redirects[0].target.text, "out");
    assert_eq!((all[2].line, all[2].redirects[0].writes), (5, true));
}

#[test]
fn a_body_is_text_but_for_its_substitutions() {
    let all = split("it's \"x $(rm a) ; ls", Kind::Body);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].words[0].text, "rm");
}
