//! What reading an answer costs that means harm: `actum extract` on ten megabytes of every shape that has made a parser slow.
//!
//! The whole command is measured, with the walls and the workers that read the programs, and nothing of it is known from before. The
//! promise is about each shape: it ends within a second.

use std::fs;
use std::time::Duration;

use super::measurer;
use super::{Report, Series, Summary, table};
use crate::Held;
use crate::check::metadata;
use crate::clock::Stopwatch;
use crate::command::Command;
use crate::error::Error;
use crate::say;

const LENGTH: usize = 10_000_000;
const PROMISED: Duration = Duration::from_secs(1);

/// A text that means harm.
struct Shape {
    name: &'static str,
    file: &'static str,
    make: fn() -> String,
}

/// `cargo xtask bench extract [ROUNDS]`
pub fn run(arguments: &[String]) -> Result<Held, Error> {
    let wrong = || Error::Arguments { given: format!("bench extract {}", arguments.join(" ")) };
    let rounds: usize = match arguments {
        [] => 3,
        [rounds] => rounds.parse().map_err(|_| wrong())?,
        [..] => return Err(wrong()),
    };
    if !measurer::build("actum", "actum")? {
        return Ok(Held::No);
    }
    let series: Vec<Series> = SHAPES.iter().map(|shape| measure(shape, rounds)).collect::<Result<_, _>>()?;
    say::line(table::render(&series).trim_end());
    let held = judge(&series);
    say::line(&format!("kept in {}", Report::now("extract", series)?.write()?));
    Ok(held)
}

fn judge(series: &[Series]) -> Held {
    let late: Vec<&str> =
        series.iter().filter(|one| one.summary.p50 > PROMISED).map(|one| one.name.as_str()).collect();
    if late.is_empty() {
        say::line("held: each within a second");
        return Held::Yes;
    }
    say::line(&format!("missed: a second is not enough for {}", late.join(", ")));
    Held::No
}

fn measure(shape: &Shape, rounds: usize) -> Result<Series, Error> {
    let target = metadata::target_folder()?;
    let (actum, folder) = (format!("{target}/release/actum"), format!("{target}/bench-extract"));
    let path = format!("{folder}/{}", shape.file);
    let cannot_write = |source| Error::Write { path: path.clone(), source };
    let mut took = Vec::new();
    for _ in 0..rounds.max(1) {
        // What was read once is kept; the next round is to find nothing.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(cannot_write)?;
        fs::write(&path, (shape.make)()).map_err(cannot_write)?;
        // To refuse it in words is an answer; to crash is none.
        let command = format!("{actum} extract --json {path} > /dev/null 2> /dev/null; [ $? -le 125 ]");
        let watch = Stopwatch::start();
        Command::new("sh", &["-c", &command])
            .with("XDG_CACHE_HOME", &format!("{folder}/cache"))
            .with("ACTUM_STORE", &format!("{folder}/store"))
            .output()?;
        took.push(watch.elapsed());
    }
    let _ = fs::remove_dir_all(&folder);
    let summary = Summary::of(took).unwrap_or_else(|| unreachable!("there is at least one round"));
    Ok(Series { name: shape.name.to_owned(), summary })
}

/// A piece again and again, up to the length.
fn again(piece: &str) -> String {
    piece.repeat(LENGTH / piece.len())
}

/// Pieces that differ, up to the length.
fn counted(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(LENGTH + 100);
    for number in 0.. {
        if text.len() >= LENGTH {
            break;
        }
        text.push_str(&piece(number));
    }
    text
}

const SHAPES: &[Shape] = &[
    Shape { name: "prose", file: "a.md", make: || again("Some words of a sentence, and some more.\n\n") },
    Shape { name: "quotations within quotations", file: "a.md", make: || again("> ") },
    Shape { name: "lists within lists", file: "a.md", make: || again("- ") },
    Shape {
        name: "numbered lists",
        file: "a.md",
        make: || counted(|number| format!("{}. a\n", number % 999_999_999)),
    },
    Shape { name: "quotations and lists by turns", file: "a.md", make: || again("> - ") },
    Shape {
        name: "lists, each deeper",
        file: "a.md",
        make: || counted(|number| format!("{}- a\n", " ".repeat(number % 2000))),
    },
    Shape {
        name: "a fence that never closes",
        file: "a.md",
        make: || format!("```python\n{}", again("x = 1\n")),
    },
    Shape { name: "fences that never close", file: "a.md", make: || again("> ```\n\n") },
    Shape {
        name: "backticks, each run longer",
        file: "a.md",
        make: || counted(|number| format!("{} a ", "`".repeat(number % 4000 + 1))),
    },
    Shape {
        name: "different programs in Python",
        file: "a.md",
        make: || counted(|number| format!("```py\nx={number}\n```\n")),
    },
    Shape {
        name: "different programs that print",
        file: "a.md",
        make: || counted(|number| format!("```python\nx = {number}\nprint(x)\n```\n")),
    },
    Shape {
        name: "different programs in JavaScript",
        file: "a.md",
        make: || counted(|number| format!("```js\nconsole.log({number})\n```\n")),
    },
    Shape {
        name: "different commands",
        file: "a.md",
        make: || counted(|number| format!("```sh\necho {number}\n```\n")),
    },
    Shape {
        name: "different programs that are cut",
        file: "a.md",
        make: || counted(|number| format!("```py\nprint({number})\nprint(\n```\n")),
    },
    Shape {
        name: "one program of ten megabytes",
        file: "a.md",
        make: || format!("```python\n{}```\n", counted(|number| format!("x{number} = {number}\n"))),
    },
    Shape {
        name: "programs of three megabytes",
        file: "a.md",
        make: || {
            format!(
                "```python\n{}```\n",
                counted(|number| format!("x{number} = {number}\n")).get(..3_000_000).unwrap_or_default()
            )
            .repeat(3)
        },
    },
    Shape {
        name: "unlabelled blocks, different",
        file: "a.md",
        make: || counted(|number| format!("```\nprint({number})\n```\n")),
    },
    Shape {
        name: "unlabelled blocks of all kinds",
        file: "a.md",
        make: || {
            counted(|number| {
                [
                    "```\nls\n```\n".to_owned(),
                    format!("    x = f({number})\n\ntext\n\n"),
                    format!("```\na: {number}\n```\n"),
                    format!("```\n{{\"a\": {number}}}\n```\n"),
                    format!("```\nconst a = f({number});\n```\n"),
                ][number % 5]
                    .clone()
            })
        },
    },
    Shape {
        name: "tables",
        file: "a.md",
        make: || counted(|number| format!("|a{number}|b|\n|-|-|\n|1|2|\n\n")),
    },
    Shape {
        name: "links, different",
        file: "a.md",
        make: || counted(|number| format!("[a{number}](b{number} \"c\") ")),
    },
    Shape {
        name: "definitions of links and their uses",
        file: "a.md",
        make: || counted(|number| format!("[a{number}]: b\n\n[a{number}] [a{}]\n\n", number / 2)),
    },
    Shape { name: "opened brackets", file: "a.md", make: || again("[") },
    Shape { name: "opened links", file: "a.md", make: || again("[a](") },
    Shape { name: "opened pictures", file: "a.md", make: || again("![a](<b") },
    Shape { name: "emphasis that never closes", file: "a.md", make: || again("*a_ ") },
    Shape { name: "emphasis of every kind", file: "a.md", make: || again("**a *b __c _d ") },
    Shape { name: "entities", file: "a.md", make: || again("&amp;&#x41;&lt") },
    Shape { name: "entities that are none", file: "a.md", make: || again("&a") },
    Shape { name: "backslashes", file: "a.md", make: || again("\\") },
    Shape { name: "one line", file: "a.md", make: || again("word ") },
    Shape {
        name: "headings",
        file: "a.md",
        make: || counted(|number| format!("# h{number}\n\n```text\nx\n```\n")),
    },
    Shape { name: "opened comments in Markdown", file: "a.md", make: || again("a <!-- ") },
    Shape { name: "opened tags in Markdown", file: "a.md", make: || again("<a b=\"") },
    Shape { name: "instructions and declarations", file: "a.md", make: || again("a <? <!A <![CDATA[ ") },
    Shape { name: "pages, deep", file: "a.html", make: || again("<div>") },
    Shape { name: "pages, opened code", file: "a.html", make: || again("<pre><code>") },
    Shape { name: "pages, tags that never close", file: "a.html", make: || again("<pre class=\"a ") },
    Shape {
        name: "pages, different programs",
        file: "a.html",
        make: || {
            counted(|number| format!("<pre><code class=\"language-python\">print({number})</code></pre>\n"))
        },
    },
    Shape { name: "thoughts that never close", file: "a.md", make: || again("<think>\n") },
    Shape {
        name: "a notebook of many cells",
        file: "a.ipynb",
        make: || {
            format!(
                "{{\"cells\": [{}{{}}]}}",
                counted(|number| format!(
                    "{{\"cell_type\": \"code\", \"source\": \"x = {number}\", \"outputs\": []}},\n"
                ))
            )
        },
    },
    Shape {
        name: "a notebook of one cell",
        file: "a.ipynb",
        make: || {
            format!(
                "{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [{}\"\"]}}]}}",
                counted(|number| format!("\"x{number} = 1\\n\", "))
            )
        },
    },
    Shape { name: "a notebook, deep", file: "a.ipynb", make: || format!("{{\"cells\": {}", again("[")) },
    Shape { name: "JSON, deep", file: "a.json", make: || again("{\"a\":") },
    Shape {
        name: "JSON, one string",
        file: "a.json",
        make: || format!("{{\"content\": \"{}", again("\\u0041\\n")),
    },
    Shape { name: "a transcript of many lines", file: "a.jsonl", make: || again("{\"a\":1}\n") },
    Shape {
        name: "a transcript of many messages",
        file: "a.jsonl",
        make: || {
            counted(|number| {
                format!("{{\"role\":\"assistant\",\"content\":\"```python\\nprint({number})\\n```\"}}\n")
            })
        },
    },
    Shape {
        name: "a session of many commands",
        file: "a.md",
        make: || format!("```console\n{}```\n", counted(|number| format!("$ a{number}\nb\n"))),
    },
    Shape {
        name: "a session that never ends",
        file: "a.md",
        make: || format!("```console\n$ echo '\n{}```\n", again("a \" b\n")),
    },
    Shape {
        name: "many sessions",
        file: "a.md",
        make: || counted(|number| format!("```console\n$ a{number}\nb\n```\n")),
    },
    Shape {
        name: "an interpreter's session",
        file: "a.md",
        make: || format!("```pycon\n{}```\n", counted(|number| format!(">>> {number}\n{number}\n"))),
    },
    Shape {
        name: "here documents in one line",
        file: "a.md",
        make: || format!("```bash\n$ cat {}\n```\n", again("<<a ")),
    },
    Shape {
        name: "patches",
        file: "a.md",
        make: || {
            counted(|number| format!("```diff\n--- a/f{number}\n+++ b/f{number}\n@@ -1 +1 @@\n-a\n+b\n```\n"))
        },
    },
    Shape {
        name: "one patch",
        file: "a.md",
        make: || {
            format!(
                "```diff\n--- a/f\n+++ b/f\n{}```\n",
                counted(|number| format!("@@ -{number} +1 @@\n-a\n+b\n"))
            )
        },
    },
    Shape {
        name: "one file many times",
        file: "a.md",
        make: || counted(|number| format!("```python file=a.py\nx = {number}\n```\n")),
    },
    Shape {
        name: "blocks that go on",
        file: "a.md",
        make: || counted(|number| format!("```py\na{} = a{number}\n```\n", number + 1)),
    },
    Shape {
        name: "corrections",
        file: "a.md",
        make: || counted(|number| format!("Fixed version:\n\n```py\nx={number}\n```\n\n")),
    },
    Shape {
        name: "systems by turns",
        file: "a.md",
        make: || {
            counted(|number| {
                format!("On Windows:\n\n```sh\na{number}\n```\n\nOn Linux:\n\n```sh\nb\n```\n\n")
            })
        },
    },
    Shape {
        name: "plain text that looks like code",
        file: "a.txt",
        make: || counted(|number| format!("x{number} = f(1)\n")),
    },
    Shape { name: "bytes that are no text", file: "a.md", make: || again("\u{fffd}\u{200b}é") },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_ten_megabytes_and_none_is_told_twice() {
        for shape in SHAPES {
            let length = (shape.make)().len();
            assert!((9_000_000..10_500_000).contains(&length), "{}: {length}", shape.name);
        }
        let names: std::collections::HashSet<&str> = SHAPES.iter().map(|shape| shape.name).collect();
        assert_eq!(names.len(), SHAPES.len());
    }
}
