//! Reports of one run, of two and of a sweep; and reports of anything.

use super::{ExperimentReport, MetricCurve, ReportedExperiment};
use crate::compare::ExperimentFacts;
use crate::compare::tests::fixture::{original, repeated, run};
use crate::plot::Point;
use crate::table::tests::sweep;
use actum_model::{Moment, Outcome};
use proptest::prelude::*;

fn reported(facts: ExperimentFacts, number: f64) -> ReportedExperiment {
    let curve = |metric: &str, value: fn(f64, f64) -> f64| {
        let points = (0..60).map(|step| Point { x: f64::from(step), y: value(f64::from(step), number) });
        MetricCurve { metric: metric.to_owned(), points: points.collect() }
    };
    let curves = vec![
        curve("loss", |step, number| {
            (-step / (7.0 + number * 2.0)).exp() + 0.02 * (step * (3.0 + number)).sin().abs()
        }),
        curve("accuracy", |step, number| 1.0 - (-step / (12.0 + number * 3.0)).exp() * 0.9),
        curve("learning_rate", |step, _| 0.1 * 0.85_f64.powf(step)),
    ];
    ReportedExperiment { facts, curves }
}

fn report(title: &str, facts: Vec<ExperimentFacts>) -> ExperimentReport {
    let experiments = facts.into_iter().zip(0..).map(|(facts, number)| reported(facts, f64::from(number)));
    ExperimentReport {
        title: title.to_owned(),
        made_at: "2026-11-16T09:00:00Z".parse::<Moment>().expect("a time"),
        experiments: experiments.collect(),
    }
}

fn two() -> Vec<ExperimentFacts> {
    let mut other = repeated();
    other.manifest.run = run(9);
    other.manifest.environment.packages[0].version = "2.4.5".to_owned();
    other.manifest.command.words[3] = "0.05".to_owned();
    other.manifest.parameters[0].value = 0.05.into();
    let result = other.result.as_mut().expect("there is one");
    (result.outcome, result.alarms) =
        (Outcome::Failure, vec!["loss was not finite from step 3 on".to_owned()]);
    result.metrics[0].last = None;
    result.metrics[0].last_text = "nan".to_owned();
    vec![original(), other]
}

/// With `ACTUM_REPORT_SAMPLES` set to a folder, what a person can look at is written there.
fn keep_sample(name: &str, text: &str) {
    if let Some(folder) = std::env::var_os("ACTUM_REPORT_SAMPLES") {
        std::fs::write(std::path::Path::new(&folder).join(name), text).expect("the folder can be written");
    }
}

#[test]
fn one_run_as_markdown() {
    let report = report("digits: one run", vec![original()]);
    keep_sample("one.html", &report.html());
    insta::assert_snapshot!(report.markdown());
}

#[test]
fn two_runs_as_markdown() {
    let report = report("digits: two runs", two());
    keep_sample("two.html", &report.html());
    insta::assert_snapshot!(report.markdown());
}

#[test]
fn a_sweep_has_a_spread_and_its_runs() {
    let report = report("digits: learning rates", sweep());
    let html = report.html();
    keep_sample("sweep.html", &html);
    assert!(html.contains("0.1160 ± 0.0030 (k=3)"), "the spread is missing");
    assert_eq!(html.matches("<svg").count(), 3);
    assert_eq!(report.csv().lines().count(), 7);
    assert!(html.contains("(logarithmic)"), "five decades of a learning rate are on a logarithmic axis");
}

/// Nothing is fetched and nothing runs: no element or attribute could.
#[test]
fn html_opens_offline() {
    for html in [report("x", two()).html(), report("x", sweep()).html(), report("x", Vec::new()).html()] {
        assert!(
            html.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src")
        );
        let document = parse(&html);
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let name = node.tag_name().name();
            assert!(
                !["script", "iframe", "link", "img", "object", "embed", "base", "form"].contains(&name),
                "{name}"
            );
            for attribute in node.attributes() {
                assert!(!["src", "href", "srcset", "action", "background"].contains(&attribute.name()));
                assert!(!attribute.name().starts_with("on"), "{}", attribute.name());
            }
        }
        assert!(!html.contains("url(") && !html.contains("@import"));
    }
}

/// Everything between the tags is XML as well, but for the tags that HTML does not close.
fn parse(html: &str) -> roxmltree::Document<'_> {
    let body = &html[html.find("<body>").expect("a body")..html.find("</html>").expect("an end")];
    roxmltree::Document::parse(body).expect("the body is well formed")
}

#[test]
fn hostile_text_is_text() {
    let hostile = "<script>alert(1)</script>`|*_[x](javascript:y)\u{1b}[2J\u{202e}";
    let mut facts = original();
    facts.manifest.name = hostile.to_owned();
    facts.manifest.command.words.push(hostile.to_owned());
    facts.manifest.parameters[0].name = hostile.to_owned();
    facts.manifest.warnings.push(hostile.to_owned());
    facts.result.as_mut().expect("there is one").artifacts[0].path = hostile.to_owned();
    let report = report(hostile, vec![facts, repeated()]);
    let (html, markdown) = (report.html(), report.markdown());
    assert!(!html.contains("<script") && !html.contains('\u{202e}') && !html.contains('\u{1b}'));
    assert!(!markdown.contains('\u{202e}') && !markdown.contains('\u{1b}'));
    // Another reader of Markdown finds neither HTML nor links, images, or emphasis that is not ours.
    for event in pulldown_cmark::Parser::new_ext(&markdown, pulldown_cmark::Options::all()) {
        let text = format!("{event:?}");
        assert!(!text.starts_with("Html") && !text.starts_with("InlineHtml"), "{text}");
        assert!(!text.starts_with("Start(Link") && !text.starts_with("Start(Image"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_manifest_is_a_report(text in "[\\PC\\p{Cc}]{0,24}", value in any::<f64>(), count in any::<u64>()) {
        let mut facts = original();
        let manifest = &mut facts.manifest;
        manifest.name = text.clone();
        manifest.command.words = vec![text.clone()];
        manifest.parameters[0].value = text.clone().into();
        manifest.environment.variables.insert(text.clone(), text.clone());
        manifest.determinism.not_covered.push(text.clone());
        manifest.git.as_mut().expect("there is one").branch = Some(text.clone());
        manifest.workspace = text.clone();
        facts.patch = Some(format!("+{text}\n```\n-\\x\t{text}"));
        let result = facts.result.as_mut().expect("there is one");
        result.metrics[0].name = text.clone();
        result.metrics[0].last = Some(value);
        result.metrics[0].count = count;
        result.artifacts_left_out = count;
        result.checklist[0].evidence = text.clone();
        let mut report = report(&text, vec![facts, repeated(), original()]);
        report.experiments[0].curves[0].metric = text.clone();
        report.experiments[0].curves[0].points[0].y = value;
        let html = report.html();
        parse(&html);
        prop_assert!(html.chars().chain(report.markdown().chars()).all(|c| matches!(c, '\n' | '\t') || !c.is_control()));
        let csv = report.csv();
        prop_assert_eq!(csv::Reader::from_reader(csv.as_bytes()).records().filter(Result::is_ok).count(), 3);
    }
}
