//! What each reader reads, and that it does not matter how its bytes are cut.

use super::event_file::tests::{event, frame, simple};
use super::*;
use actum_model::Stream;
use proptest::prelude::*;

fn read(mut reader: MetricReader, pieces: &[&[u8]]) -> Vec<MetricPoint> {
    let mut points = Vec::new();
    pieces.iter().for_each(|piece| reader.push(piece, None, &mut points));
    reader.finish(None, &mut points);
    points
}

fn short(points: &[MetricPoint]) -> Vec<String> {
    let one = |point: &MetricPoint| match point.step {
        Some(step) => format!("{}@{step}={}", point.key, point.value),
        None => format!("{}={}", point.key, point.value),
    };
    points.iter().map(one).collect()
}

fn readers() -> [MetricReader; 5] {
    [
        MetricReader::Output(OutputReader::new(Stream::Stdout)),
        MetricReader::Output(OutputReader::new(Stream::Stderr)),
        MetricReader::for_file("out/metrics.jsonl").unwrap(),
        MetricReader::for_file("metrics.csv").unwrap(),
        MetricReader::for_file("logs/events.out.tfevents.1.host.2.0").unwrap(),
    ]
}

#[test]
fn output_is_read_by_the_rules_of_the_report() {
    let text = b"loading\nepoch 1 loss: 0.5\n\x1b[32mepoch 2\x1b[0m loss: nan acc=0.5\n{\"step\": 3, \"loss\": 0.25}\nport: 80\nacc: 0.75";
    let points = read(MetricReader::Output(OutputReader::new(Stream::Stdout)), &[text]);
    assert_eq!(short(&points), ["loss@1=0.5", "loss@2=NaN", "acc@2=0.5", "loss@3=0.25", "acc=0.75"]);
    assert!(points.iter().all(|point| point.source == PointSource::Stdout));
}

#[test]
fn json_lines_of_every_form_are_read() {
    let text = br#"{"step": 1, "epoch": 0, "loss": 0.5, "eval": {"acc": 0.75}, "time": 1700000000.5}
{"key": "loss", "value": 0.25, "step": 2, "t": "2023-11-14T22:13:20Z"}
{"name": "loss", "value": "NaN", "step": 3.0}
{"key": "loss", "value": -Infinity, "step": 3}
{"loss": NaN, "lr": 1e-3, "step": 4}
{"loss": "Infinity", "step": 5, "note": "nan"}
broken {"loss": 1}
[1, 2]
{"_step": 6, "_timestamp": 1700000001, "loss": 0.125, "ok": true, "n": null}
"#;
    let points = read(readers()[2].anew(), &[text]);
    assert_eq!(
        short(&points),
        [
            "loss@1=0.5",
            "eval/acc@1=0.75",
            "loss@2=0.25",
            "loss@3=NaN",
            "loss@3=-inf",
            "loss@4=NaN",
            "lr@4=0.001",
            "loss@5=inf",
            "note@5=NaN",
            "loss@6=0.125",
        ]
    );
    let times: Vec<_> = points.iter().map(|point| point.time.map(Moment::milliseconds)).collect();
    assert_eq!(times[..3], [Some(1_700_000_000_500), Some(1_700_000_000_500), Some(1_700_000_000_000)]);
    assert_eq!((times[3], times[9]), (None, Some(1_700_000_001_000)));
}

#[test]
fn what_is_written_as_lines_is_read() {
    let source = PointSource::JsonLines("out/metrics.jsonl".to_owned());
    let written: Vec<_> = [0.5, f64::NAN, f64::NEG_INFINITY]
        .into_iter()
        .map(|value| {
            MetricPoint::new("loss", value, Some(1), source.clone())
                .unwrap()
                .at(Some(Moment(1_700_000_000_000_001)))
        })
        .collect();
    let text: String = written.iter().map(|point| format!("{}\n", point.to_line())).collect();
    assert_eq!(read(readers()[2].anew(), &[text.as_bytes()]), written);
}

#[test]
fn tables_of_keras_and_lightning_are_read() {
    let keras = b"epoch,accuracy,loss,val_loss\n0,0.5,0.7,0.8\n1,0.75,nan,NA\n";
    assert_eq!(
        short(&read(readers()[3].anew(), &[keras])),
        ["accuracy@0=0.5", "loss@0=0.7", "val_loss@0=0.8", "accuracy@1=0.75", "loss@1=NaN"]
    );
    let lightning = b"epoch,step,train_loss,val_loss\r\n0,49,0.5,\r\n0,49,,0.25\r\n1,99,0.4,";
    assert_eq!(
        short(&read(readers()[3].anew(), &[lightning])),
        ["train_loss@49=0.5", "val_loss@49=0.25", "train_loss@99=0.4"]
    );
    let quoted = "\u{feff}step;\"a \"\"b\"\";c\"\n\n1;\"0.5\"\n2;0,5\n".as_bytes();
    assert_eq!(short(&read(readers()[3].anew(), &[quoted])), ["a \"b\";c@1=0.5"]);
}

#[test]
fn a_table_without_names_or_with_an_endless_row_ends_with_a_reason() {
    let mut reader = readers()[3].anew();
    reader.push(b"1,2\n3,4\n", None, &mut Vec::new());
    assert_eq!(reader.ended(), Some(&EndReason::NoHeader));
    let mut reader = readers()[3].anew();
    reader.push(b"a,b\n\"", None, &mut Vec::new());
    let mut points = Vec::new();
    (0..20).for_each(|_| reader.push(&[b'\n'; 20_000], None, &mut points));
    assert!(matches!(reader.ended(), Some(EndReason::LongRow { .. })), "{:?}", reader.ended());
    assert!(reader.ended().unwrap().to_string().contains("is longer than 262144 bytes"));
}

#[test]
fn names_of_files_choose_the_reader() {
    for (path, is_read) in [
        ("a/metrics.jsonl", true),
        ("train.metrics.jsonl", true),
        ("lightning_logs/version_0/metrics.csv", true),
        ("training_log.csv", true),
        ("events.out.tfevents.1.x", true),
        ("data.csv", false),
        ("metrics.json", false),
        ("mymetrics.jsonl.gz", false),
    ] {
        assert_eq!(MetricReader::for_file(path).is_some(), is_read, "{path}");
    }
}

#[test]
fn a_file_that_grows_is_read_on_and_one_that_is_written_anew_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.csv");
    let mut followed = FollowedFile::new(MetricReader::for_file("metrics.csv").unwrap());
    let mut look = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let (file, _) = actum_gate::open_named(&path).unwrap();
        let update = followed.read_on(&file, None).unwrap();
        (short(&update.points), update.is_rewritten)
    };
    assert_eq!(look("step,loss\n1,0.5\n2,0."), (vec!["loss@1=0.5".to_owned()], false));
    assert_eq!(look("step,loss\n1,0.5\n2,0.25\n"), (vec!["loss@2=0.25".to_owned()], false));
    assert_eq!(look("step,loss\n1,0.5\n2,0.25\n"), (Vec::new(), false));
    let anew = look("step,loss,acc\n1,0.5,0.75\n2,0.25,\n3,0.1,0.9\n");
    assert_eq!((anew.0.len(), anew.1), (5, true));
    assert_eq!(look("step,loss\n"), (Vec::new(), true));
}

/// Pieces of what each reader reads, and of what none does.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<Vec<u8>> = vec![
        b"epoch 1 loss: 0.5\n".to_vec(),
        b"{\"step\": 2, \"loss\": 0.25}\n".to_vec(),
        b"{\"key\": \"a\", \"value\": \"NaN\"}\n".to_vec(),
        b"step,loss,acc\n".to_vec(),
        b"3,0.5,nan\n".to_vec(),
        b"\"x,\n\"\"y\"".to_vec(),
        b"| epoch | loss |\n".to_vec(),
        b"\r\xff\x1b[3".to_vec(),
        b"\n".to_vec(),
        frame(&event(3, &simple("loss", 0.5))),
        frame(b"\x0b"),
        vec![0; 12],
    ];
    let word = prop_oneof![
        8 => proptest::sample::select(words),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn how_bytes_are_cut_does_not_matter(bytes in bytes(), cuts in proptest::collection::vec(0..400_usize, 0..6)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([bytes.len()]);
        let pieces: Vec<&[u8]> = starts.zip(ends).map(|(start, end)| &bytes[start..end]).collect();
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        for reader in readers() {
            let whole = read(reader.anew(), &[&bytes]);
            prop_assert_eq!(&read(reader.anew(), &pieces), &whole);
            prop_assert_eq!(&read(reader.anew(), &single), &whole);
        }
    }
}
