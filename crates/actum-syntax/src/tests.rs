//! Whatever the bytes are, reading ends and says something true of them.

use super::*;
use proptest::prelude::*;

const LANGUAGES: [&str; 15] = [
    "python",
    "perl",
    "bash",
    "c",
    "cpp",
    "go",
    "java",
    "javascript",
    "typescript",
    "tsx",
    "lua",
    "php",
    "r",
    "ruby",
    "rust",
];

/// Programs to cut and to stir.
const PROGRAMS: [(&str, &str); 6] = [
    (
        "python",
        "import numpy as np\n\n\ndef f(a, *b, c=1):\n    \"\"\"Says.\"\"\"\n    try:\n        import x\n    except ImportError:\n        x = None\n    return [i for i in range(10**9) if i]\n\n\nwith open('a.txt', 'w') as out:\n    out.write(f'{f(1)!r:>{10}} {np.pi}')\n",
    ),
    (
        "javascript",
        "import a from 'x';\nconst f = async (b) => { await b(`${a} ${1 + 2}`); };\nclass C extends D { #p = 1; get q() { return this.#p; } }\nf(() => {});\n",
    ),
    (
        "bash",
        "set -e\nfor f in *.txt; do\n  cat \"$f\" | grep -q \"${X:-y}\" && echo $(date) >> log.txt\ndone\ncat <<EOF\nhere $X\nEOF\n",
    ),
    (
        "ruby",
        "require 'json'\nclass A\n  def f(x, *y, &z)\n    \"#{x} #{y.map { |i| i + 1 }}\"\n  end\nend\nputs A.new.f(1) if ARGV[0]\n",
    ),
    (
        "rust",
        "use std::io;\n#[derive(Debug)]\nstruct A<'a> { x: &'a str }\nfn main() { let a = A { x: r#\"b\"# }; println!(\"{a:?}\"); }\n",
    ),
    (
        "php",
        "<?php\nuse A\\B;\nfunction f(array $x = []): ?int { return $x['a'] ?? null; }\necho f([1, 2]) . \"{$argv[1]}\";\n",
    ),
];

#[test]
fn names_of_languages_lead_to_readers() {
    for language in LANGUAGES {
        let reading = read(language, b"");
        assert!(!reading.language.is_empty(), "{language}");
        assert_eq!(reading.v, Reading::VERSION);
    }
    assert_eq!(
        (read(".PY", b"").language, read("cobol", b"").language),
        ("python".to_owned(), String::new())
    );
}

#[test]
fn programs_that_are_cut_are_never_taken_for_other_things() {
    for (language, program) in PROGRAMS {
        assert_eq!(read(language, program.as_bytes()).complete, Completeness::Complete, "{language}");
        for cut in (0..program.len()).filter(|cut| program.is_char_boundary(*cut)) {
            let complete = read(language, &program.as_bytes()[..cut]).complete;
            assert!(
                !matches!(complete, Completeness::Legacy { .. } | Completeness::Unread { .. }),
                "{language} at {cut}"
            );
        }
    }
}

#[test]
fn deep_and_long_texts_end_in_every_language() {
    let texts = [
        "(".repeat(3_000),
        "{".repeat(3_000),
        "[".repeat(2_000),
        "a.b(".repeat(1_000),
        "if x then ".repeat(1_000),
        "\"${".repeat(1_000),
        "<<A\n".repeat(500),
        "a".repeat(100_000),
        "/*".repeat(2_000),
        "`".repeat(2_000),
        "\u{feff}é“”".repeat(1_000),
    ];
    for language in LANGUAGES {
        for text in &texts {
            let reading = read(language, text.as_bytes());
            assert!(reading.imports.len() <= 1_000, "{language}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_can_be_read(at in 0..LANGUAGES.len(), bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read(LANGUAGES[at], &bytes);
    }

    #[test]
    fn any_text_of_code_can_be_read(at in 0..LANGUAGES.len(), text in "([a-z_.]{1,4}|[(){}\\[\\]'\"#$:;=<>%!?@&|\\\\/*,+ \n\t-]|import |from |def |class |f'|\"\"\"|%%|>>> |é|\u{a0}){0,120}") {
        read(LANGUAGES[at], text.as_bytes());
    }

    #[test]
    fn stirred_programs_can_be_read_and_keep_their_lines(at in 0..PROGRAMS.len(), from in 0usize..300, to in 0usize..300, piece in "[(){}'\"# \n:,]{0,4}") {
        let (language, program) = PROGRAMS[at];
        let (from, to) = (from.min(program.len()), to.min(program.len()));
        let (from, to) = (from.min(to), from.max(to));
        let text = format!("{}{piece}{}", &program[..from], &program[to..]);
        let lines = u32::try_from(text.matches('\n').count() + 1).unwrap();
        let reading = read(language, text.as_bytes());
        prop_assert!(reading.imports.iter().all(|import| (1..=lines).contains(&import.line)));
        let text = serde_json::to_string(&reading).unwrap();
        prop_assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading);
    }
}
