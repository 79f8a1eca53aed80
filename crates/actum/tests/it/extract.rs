//! `actum extract`: what is in an answer, without running any of it.

use crate::world::{Caller, World};
use actum_model::{Blocks, Disposition};
use serde_json::Value;

fn world() -> Option<World> {
    World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary))
}

const ANSWER: &str = "\
`tools.py`:

```python
def double(x):
    return 2 * x
```

```bash
pip install numpy
```

```python
import numpy
from tools import double
print(numpy.int64(double(21)))
open('touched', 'w')
```

Output:

```
42
```

```python
print(
";

#[test]
fn every_block_has_a_disposition_and_a_reason_and_nothing_runs() {
    let Some(world) = world() else { return };
    world.make_file(&world.workspace().join("answer.md"), ANSWER);
    let done = world.actum_with(&["extract", "answer.md", "--json"]).go().expect(0);
    actum_testkit::assert_valid_blocks(&serde_json::from_str(&done.out()).unwrap());
    let found: Blocks = serde_json::from_str(&done.out()).unwrap();
    let told: Vec<(Disposition, [u64; 2])> =
        found.blocks.iter().map(|block| (block.disposition, block.lines)).collect();
    let expected = [
        (Disposition::File, [3, 6]),
        (Disposition::Skip, [8, 10]),
        (Disposition::Run, [12, 17]),
        (Disposition::Expect, [21, 23]),
        (Disposition::Skip, [25, 26]),
    ];
    assert_eq!(told, expected);
    assert!(!world.workspace().join("touched").exists() && !world.workspace().join("tools.py").exists());
    let value: Value = serde_json::from_str(&done.out()).unwrap();
    for name in ["index", "language", "code", "kind", "disposition", "why", "lines"] {
        assert!(value["blocks"].as_array().unwrap().iter().all(|block| block.get(name).is_some()), "{name}");
    }
    let shown = world.actum_with(&["extract", "answer.md"]).go().expect(0).out();
    for words in ["5 code blocks in Markdown", "tools.py", "it installs: numpy", "not closed"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_ends_with_125() {
    let Some(world) = world() else { return };
    let path = |name: &str| world.workspace().join(name);
    std::fs::write(path("binary.md"), b"\x7fELF\0\0").unwrap();
    std::fs::write(path("latin.md"), b"caf\xe9").unwrap();
    std::fs::write(path("broken.ipynb"), b"{\"cells\": [}").unwrap();
    std::fs::write(path("empty.md"), b"").unwrap();
    std::fs::File::create(path("large.md")).unwrap().set_len(500 << 20).unwrap();
    for (file, words) in [
        ("binary.md", "it is binary"),
        ("latin.md", "not UTF-8"),
        ("broken.ipynb", "read the notebook: line 1"),
        ("empty.md", "it is empty"),
        ("large.md", "larger than 64MiB"),
        ("missing.md", "missing.md"),
    ] {
        let done = world.actum_with(&["extract", file]).go().expect(125);
        assert!(done.err().contains(words), "{file}: {}", done.err());
    }
}

#[test]
fn thousands_of_blocks_are_read_by_few_workers() {
    let Some(world) = world() else { return };
    let many: String = (0..3_000).map(|number| format!("```python\nprint({number})\n```\n\n")).collect();
    world.make_file(&world.workspace().join("many.md"), &many);
    let done = world.actum_with(&["extract", "many.md", "--json"]).go().expect(0);
    let found: Blocks = serde_json::from_str(&done.out()).unwrap();
    let run = found
        .blocks
        .iter()
        .filter(|block| block.disposition == Disposition::Run && block.warnings.is_empty());
    assert_eq!(run.count(), 3_000);
}

#[test]
fn an_answer_on_stdin_and_a_transcript() {
    let Some(world) = world() else { return };
    let done = world.actum_with(&["extract", "-"]).stdin(b"```js\nconsole.log(1)\n```\n").go().expect(0);
    assert!(done.out().contains("1 to run"), "{}", done.out());
    let call = br#"{"name":"python","arguments":"{\"code\":\"print(1)\"}"}"#;
    let done = world.actum_with(&["extract", "-", "--json"]).stdin(call).go().expect(0);
    let found: Blocks = serde_json::from_str(&done.out()).unwrap();
    assert_eq!(
        (found.blocks[0].code.as_str(), found.blocks[0].disposition),
        ("print(1)\n", Disposition::Run)
    );
}
