//! Answers from end to end: their files are written, their differences applied, their programs run together in one workspace.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::Value;

fn steps(done: &Done) -> Vec<(String, String)> {
    let steps = done.told("/steps").as_array().cloned().unwrap_or_default();
    let word = |step: &Value, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    steps.iter().map(|step| (word(step, "language"), word(step, "outcome"))).collect()
}

#[test]
fn files_are_written_before_what_uses_them() {
    for world in World::each() {
        let answer = "Save this as `tools/shout.py`:\n\n```python file=tools/shout.py\ndef shout(word):\n    return word.upper() + '!'\n```\n\n\
                      ```bash\nprintf 'one\\ntwo\\n' > words.txt\n```\n\n\
                      ```python\nfrom tools.shout import shout\nfor word in open('words.txt'):\n    print(shout(word.strip()))\n```\n";
        world.make_file(&world.workspace().join("answer.md"), answer);
        let done = world.source("answer.md", &[]).go().expect(0);
        assert_eq!(done.out(), "ONE!\nTWO!\n", "{done}");
        let told: Vec<(&str, &str)> = vec![("file", "success"), ("bash", "success"), ("python", "success")];
        let steps = steps(&done);
        assert_eq!(steps.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>(), told, "{done}");
        assert!(
            world.workspace().join("tools/shout.py").exists() && world.workspace().join("words.txt").exists()
        );
    }
}

#[test]
fn a_difference_is_applied_or_nothing_is_changed() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let file = world.workspace().join("greet.py");
    let answer = "```diff\n--- a/greet.py\n+++ b/greet.py\n@@ -1,9 +1,9 @@\n def greet():\n-    return 'hi'\n+    return 'hello'\n```\n\n\
                  ```python\nimport greet\nprint(greet.greet())\n```\n";
    world.make_file(&file, "def greet():\n    return 'hi'\n");
    world.make_file(&world.workspace().join("answer.md"), answer);
    let done = world.source("answer.md", &[]).go().expect(0);
    assert_eq!(done.out(), "hello\n", "{done}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "def greet():\n    return 'hello'\n");
    // It has been applied: its lines are no longer there.
    let done = world.source("answer.md", &[]).go().expect(1);
    assert!(done.err().contains("does not fit"), "{done}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "def greet():\n    return 'hello'\n");
}

#[test]
fn blocks_that_go_on_share_their_names_and_lines_are_those_of_the_answer() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let answer = "First:\n\n```python\nnumbers = [3, 4]\n```\n\nThen:\n\n```python\nprint(sum(numbers))\nprint(1 / 0)\n```\n";
    world.make_file(&world.workspace().join("answer.md"), answer);
    let done = world.source("answer.md", &[]).go().expect(1);
    assert_eq!(done.out(), "7\n", "{done}");
    assert!(done.err().contains("ZeroDivisionError"), "{done}");
}

#[test]
fn nothing_is_written_outside_of_the_workspace() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for path in ["../outside.py", "/tmp/actum-outside.py"] {
        let answer = format!("```python file={path}\nx = 1\n```\n\n```python\nprint('ran')\n```\n");
        world.make_file(&world.workspace().join("answer.md"), &answer);
        let done = world.source("answer.md", &[]).go();
        assert!(!world.workspace().join(path).exists(), "{done}");
    }
}

#[test]
fn of_what_was_cut_off_the_whole_part_is_run_and_the_rest_told() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("answer.md"), "```python\nprint('begun')\nfor x in range(3\n");
    let done = world.source("answer.md", &[]).go().expect(0);
    assert_eq!(done.out(), "begun\n", "{done}");
    assert!(done.err().contains("skipped") && done.err().contains("lines 3 to 3"), "{done}");
    // It may be whole, and that the answer stops there is said all the same.
    world.make_file(&world.workspace().join("answer.md"), "```python\nprint('begun')\n");
    let done = world.source("answer.md", &[]).go().expect(0);
    assert!(done.out() == "begun\n" && done.err().contains("not closed"), "{done}");
    // Half a file is not written.
    world
        .make_file(&world.workspace().join("answer.md"), "```python file=half.py\nx = 1\nprint(x)\nprint(\n");
    let done = world.source("answer.md", &[]).go();
    assert!(!world.workspace().join("half.py").exists(), "{done}");
}

#[test]
fn what_was_typed_at_a_prompt_is_run_and_what_was_printed_is_expected() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let session = |sum: &str| {
        format!(
            "```console\n$ echo \"it's here\" > a.txt\n$ cat a.txt\nit's here\n$ ls nowhere\nls: cannot access 'nowhere': No such file or directory\n\
             $ for i in 1 2; do\n>   echo $i\n> done\n1\n2\n```\n\n\
             ```pycon\n>>> x = 2\n>>> x + 1\n{sum}\n>>> 1 / 0\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n\
             ZeroDivisionError: division by zero\n```\n"
        )
    };
    world.make_file(&world.workspace().join("answer.md"), &session("3"));
    let done = world.source("answer.md", &[]).go().expect(0);
    assert_eq!(done.out(), "it's here\n1\n2\n3\nZeroDivisionError: division by zero\n", "{done}");
    world.make_file(&world.workspace().join("answer.md"), &session("4"));
    let done = world.source("answer.md", &[]).go().expect(121);
    assert!(done.err().contains("where it shows `4`"), "{done}");
}

#[test]
fn what_blocks_print_together_is_held_against_what_the_answer_shows() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let answer = |shown: &str| {
        format!(
            "```python\nx = 20\nprint('x is', x, end='')\n```\n\n```output\nx is 20\n```\n\n```bash\necho from the shell\n```\n\n\
             ```python file=a.txt.py\ny = 1\n```\n\n```python\nprint(x + 1)\n```\n\nOutput:\n\n```\n{shown}\n```\n"
        )
    };
    for (shown, code) in [("21", 0), ("22", 121)] {
        world.make_file(&world.workspace().join("answer.md"), &answer(shown));
        let done = world.source("answer.md", &[]).flags(&["--together"]).go().expect(code);
        assert_eq!(done.err().contains("where it shows `22`"), code != 0, "{done}");
    }
}

#[test]
fn a_notebook_is_an_answer_too() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let notebook = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": { "language_info": { "name": "python" } },
        "cells": [
            { "cell_type": "markdown", "metadata": {}, "source": ["# Title\n"] },
            { "cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": [], "source": ["a = 20\n", "b = 22\n"] },
            { "cell_type": "code", "metadata": {}, "execution_count": 2, "outputs": [], "source": ["print(a + b)"] },
            { "cell_type": "code", "metadata": {}, "execution_count": 3, "source": ["c = a\n", "c + 1"],
              "outputs": [{ "output_type": "execute_result", "data": { "text/plain": ["21"] } }] },
        ],
    });
    world.make_file(&world.workspace().join("book.ipynb"), &notebook.to_string());
    let done = world.source("book.ipynb", &[]).go().expect(0);
    assert_eq!(done.out(), "42\n21\n", "{done}");
}
