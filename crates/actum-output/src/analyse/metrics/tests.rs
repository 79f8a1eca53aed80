//! Lines that tell a metric, lines that do not, and hostile ones.

use super::*;
use proptest::prelude::*;

fn told(stdout: &str) -> Vec<String> {
    let read = metrics(&Text::of(stdout.as_bytes()), &Text::default());
    let one = |metric: Metric| match metric.step {
        Some(step) => format!("{}@{step}={}", metric.name, metric.literal),
        None => format!("{}={}", metric.name, metric.literal),
    };
    read.listed.into_iter().map(one).collect()
}

#[test]
fn what_is_a_metric() {
    let cases: &[(&str, &[&str])] = &[
        ("accuracy: 0.9312", &["accuracy=0.9312"]),
        ("loss=0.12", &["loss=0.12"]),
        ("Epoch 3/10 - loss: 0.5 - val_acc: 0.8", &["loss@3=0.5", "val_acc@3=0.8"]),
        ("{\"step\": 3, \"loss\": 0.50}", &["loss@3=0.50"]),
        ("| accuracy | 0.93 |", &["accuracy=0.93"]),
        ("Test accuracy: 93.12%", &["Test accuracy=93.12%"]),
        ("Accuracy (test): 0.93", &["Accuracy (test)=0.93"]),
        ("F1-score: 0.81, precision: 0.9, recall: 0.7", &["F1-score=0.81", "precision=0.9", "recall=0.7"]),
        ("{'loss': 0.25, 'learning_rate': 5e-05, 'epoch': 1.0}", &["loss@1=0.25", "learning_rate@1=5e-05"]),
        ("[epoch 2][iter 40] loss=1.25 lr=1e-3", &["loss@2=1.25", "lr@2=1e-3"]),
        ("Epoch 3 loss: 0.5", &["loss@3=0.5"]),
        ("INFO step 12/90 train loss: 0.5", &["train loss@12=0.5"]),
        ("step=120 loss=0.33 tokens_seen=1.5e6", &["loss@120=0.33", "tokens_seen@120=1.5e6"]),
        ("2026-11-15 12:30:01,123 INFO trainer: val_loss: 0.41", &["val_loss=0.41"]),
        ("INFO:root:rmse: 12", &["rmse=12"]),
        ("Logistic Regression accuracy: 0.912", &["Logistic Regression accuracy=0.912"]),
        ("After all of that training the final test accuracy: 0.5", &["final test accuracy=0.5"]),
        ("R^2 score: 0.88", &["R^2 score=0.88"]),
        ("mAP@0.5: 0.61", &["mAP@0.5=0.61"]),
        ("mean reward: -12.5 ± 3.1", &["mean reward=-12.5"]),
        ("  \"accuracy\": 0.93,", &["accuracy=0.93"]),
        ("perplexity = 12", &["perplexity=12"]),
        ("BLEU = 27.4.", &["BLEU=27.4"]),
        ("Speedup: 2.5x", &["Speedup=2.5x"]),
        ("error rate: 0.07", &["error rate=0.07"]),
        ("Mean: 4.25", &["Mean=4.25"]),
        ("coverage: 87%", &["coverage=87%"]),
        ("throughput: 1,234.5", &["throughput=1,234.5"]),
        ("{\"eval\": {\"acc\": 0.9, \"n\": 100}}", &["eval/acc=0.9", "eval/n=100"]),
        ("{\"level\":\"info\",\"msg\":\"done\",\"loss\":0.5,\"port\":80,\"took\":1.5}", &["loss=0.5"]),
        ("> loss: 1.0", &["loss=1.0"]),
        ("done (loss=0.5, acc=0.8)", &["loss=0.5", "acc=0.8"]),
        ("Train Loss: 0.5 | Val Loss: 0.6", &["Train Loss=0.5", "Val Loss=0.6"]),
        ("\u{1b}[32maccuracy\u{1b}[0m: 0.5", &["accuracy=0.5"]),
    ];
    for (line, expected) in cases {
        assert_eq!(told(line), *expected, "{line}");
    }
}

#[test]
fn coverage_in_all_is_read_as_its_tools_print_it() {
    let rule = "-----\n";
    let llvm = "Filename  Regions  Missed Regions  Cover  Functions  Missed Functions  Executed  Lines  Missed Lines  Cover\n";
    let nyc = "File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s \n";
    let cases: &[(&str, &[&str])] = &[
        ("Name Stmts Miss Cover\na.py 4 0 100%\nTOTAL 25 7 72%\nTOTAL 1 1 1%\n", &["coverage=72%"]),
        ("Name Stmts Miss Branch BrPart Cover\nTOTAL 25 7 4 1 70%\n", &["coverage=70%"]),
        (
            &format!(
                "{rule}{nyc}{rule}All files |   85.71 |    66.67 |     100 |   88.23 |     \n cart.js | 1 | 2 | 3 | 4 | 5-7 \n"
            ),
            &[
                "statement_coverage=85.71",
                "branch_coverage=66.67",
                "function_coverage=100",
                "line_coverage=88.23",
            ],
        ),
        (
            &format!(
                "{llvm}a.rs 28 7 75.00% 6 1 83.33% 50 12 76.00%\nTOTAL 38 7 81.58% 8 1 87.50% 64 12 81.25% 0 0 -\n"
            ),
            &["region_coverage=81.58%", "function_coverage=87.50%", "line_coverage=81.25%"],
        ),
        ("shop/cart.go:12:\tAdd\t100.0%\ntotal:\t\t\t(statements)\t74.2%\n", &["coverage=74.2%"]),
        (
            "  lines......: 88.2% (15 of 17 lines)\n  functions..: 80.0% (4 of 5 functions)\n",
            &["line_coverage=88.2%", "function_coverage=80.0%"],
        ),
        ("TOTAL 25 7 72%\nlines: 12\n", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(told(text), *expected, "{text}");
    }
}

#[test]
fn what_is_none() {
    for line in [
        "12:30:01 port: 8080",
        "Listening on http://localhost:8080/",
        "version: 1.2.3",
        "Python: 3.12",
        "python version: 3.12",
        "2026-11-15",
        "date: 2026-11-15",
        "time: 12:30",
        "elapsed time: 12.5",
        "error: 404",
        "Error: 2 files",
        "line: 12",
        "main.rs:12:5: error",
        "File \"a.py\", line 3",
        "answer: 42",
        "x = 3.25",
        "total: 12",
        "Tests: 3 passed, 3 total",
        "Epoch 3/10",
        "progress: 3/10",
        "score: 3/10",
        "score: 12",
        "accuracy: high",
        "accuracy: nan",
        "loss: 0x10",
        "loss: 1.2.3",
        "loss == 0.5",
        "loss => 0.5",
        "a::loss::0.5",
        "{\"port\": 8080, \"pid\": 12}",
        "{\"result\": 42.5}",
        "{\"level\":\"info\",\"msg\":\"listening\",\"ts\":1700000000.5}",
        "{not json: 0.5}",
        "| file | 12 |",
        "mean line: 0.5",
        "seed: 0.5",
        "",
        ":::::",
        "= 0.5",
        "- 0.5",
    ] {
        assert_eq!(told(line), [""; 0], "{line}");
    }
}

#[test]
fn progress_below_its_epoch_has_its_step_and_the_last_word_has_none() {
    let text = "Epoch 1/2\n32/32 [=====] - 0s 2ms/step - loss: 0.9\nEpoch 2/2\n\
                1/32 - loss: 0.8\r32/32 [=====] - 0s 2ms/step - loss: 0.7\nTest accuracy: 0.93\n";
    assert_eq!(told(text), ["loss@1=0.9", "loss@2=0.7", "Test accuracy=0.93"]);
}

#[test]
fn names_above_their_numbers() {
    let text = "| epoch | loss | size |\n|---|---|---|\n| 1 | 0.5 | 12.5 |\n| 2 | 0.4 | 12.5 |\n\
                words between\n| 3 | 0.3 | 1.5 |\n";
    assert_eq!(told(text), ["loss@1=0.5", "loss@2=0.4"]);
    let text = "┃ model ┃ accuracy ┃ count ┃\n┡━━━━╇━━━┩\n│ small │ 0.91 │ 3 │\n│ large │ 0.95 │ 4 │\n";
    assert_eq!(told(text), ["small accuracy=0.91", "large accuracy=0.95"]);
}

#[test]
fn lines_streams_and_sources_are_told() {
    let read = metrics(&Text::of(b"\n\n{\"loss\": 1}\n"), &Text::of(b"x\nacc: 0.5\n"));
    let placed: Vec<_> = read.listed.iter().map(|metric| (metric.source.clone(), metric.line)).collect();
    assert_eq!(placed, [(MetricSource::Json(Stream::Stdout), 3), (MetricSource::Text(Stream::Stderr), 2)]);
}

#[test]
fn files_tell_everything() {
    let one =
        of_file("metrics.json", "{\n  \"accuracy\": 0.930,\n  \"runs\": [1, 2],\n  \"by\": {\"n\": 3}\n}\n");
    let of = |metrics: Metrics| -> Vec<(String, String, Option<u64>, u64)> {
        let one = |metric: Metric| (metric.name, metric.literal, metric.step, metric.line);
        metrics.listed.into_iter().map(one).collect()
    };
    assert_eq!(of(one), [("accuracy".into(), "0.930".into(), None, 2), ("by/n".into(), "3".into(), None, 4)]);
    let lines = of_file("metrics.jsonl", "{\"step\": 1, \"a\": 2}\nbroken\n{\"step\": 2, \"a\": 3}\n");
    assert_eq!(of(lines), [("a".into(), "2".into(), Some(1), 1), ("a".into(), "3".into(), Some(2), 3)]);
    assert_eq!(of_file("metrics.json", "[[[[").listed, []);
}

#[test]
fn a_long_training_keeps_its_beginning_and_its_end() {
    let text: String = (0..5000).map(|step| format!("step {step} loss: 0.{step}\n")).collect();
    let read = metrics(&Text::of(text.as_bytes()), &Text::default());
    assert_eq!((read.listed.len(), read.left_out), (1000, 4000));
    assert_eq!((read.listed[0].step, read.listed[999].step), (Some(0), Some(4999)));
    let both = of_file("metrics.json", "{\"a\": 1}").and(read);
    assert_eq!((both.listed.len(), both.left_out), (1000, 4001));
    assert_eq!((both.listed[0].name.as_str(), both.listed[999].step), ("a", Some(4999)));
}

#[test]
fn hostile_lines_cost_no_more_than_their_length() {
    for piece in ["loss=", "loss:1 ", "|", "{\"a\":", "[", "epoch ", "= 1,234", "(((", "a b c d ", "1e1e"] {
        let text = piece.repeat((1 << 20) / piece.len());
        let split = text.as_bytes().chunks(4000).collect::<Vec<_>>().join(&b'\n');
        let read = metrics(&Text::of(text.as_bytes()), &Text::of(&split));
        assert!(read.listed.len() <= 1000);
    }
    let deep = "{\"a\":".repeat(100_000);
    assert_eq!(of_file("metrics.json", &deep).listed, []);
}

proptest! {
    #[test]
    fn never_panics_and_every_literal_was_printed(text in "[a-z0-9 :=.,|{}\"'/%()\\[\\]\u{e9}\u{2502}-]{0,200}") {
        let line = format!("acc: 0.5 {text}");
        for metric in metrics(&Text::of(line.as_bytes()), &Text::default()).listed {
            prop_assert!(line.contains(&metric.literal));
            prop_assert!(metric.value.is_finite() && metric.name.chars().count() <= NAME + 1);
        }
        of_file("metrics.json", &text);
    }
}

#[test]
fn what_compilers_interpreters_and_test_runners_print_is_none() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/src/analyse/fixtures");
    let mut count = 0;
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        let read = metrics(&Text::of(&std::fs::read(&path).unwrap()), &Text::default());
        assert_eq!(read.listed, [], "{}", path.display());
        count += 1;
    }
    assert!(count > 100);
}
