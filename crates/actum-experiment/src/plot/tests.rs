//! Charts that a reader can look at, and charts of anything.

use super::{Axis, Chart, Colour, Curve, Point, SvgSize, TerminalSize};
use proptest::prelude::*;

const SIZE: TerminalSize = TerminalSize { columns: 60, rows: 10 };

pub(crate) fn curve(label: &str, values: impl IntoIterator<Item = f64>) -> Curve {
    let points = values.into_iter().zip(0..).map(|(y, x)| Point { x: f64::from(x), y }).collect();
    Curve { label: label.to_owned(), points }
}

fn chart(curves: Vec<Curve>) -> Chart {
    Chart { title: "loss".to_owned(), x_label: "step".to_owned(), curves, ..Chart::default() }
}

fn decay(rate: f64) -> impl Iterator<Item = f64> {
    (0..40).map(move |step| (-f64::from(step) / rate).exp())
}

#[test]
fn two_curves_in_a_terminal() {
    let chart = chart(vec![curve("456789ab lr=0.1", decay(6.0)), curve("fedcba98 lr=0.01", decay(20.0))]);
    insta::assert_snapshot!(chart.terminal(SIZE, Colour::Plain));
    let coloured = chart.terminal(SIZE, Colour::Coloured);
    assert!(coloured.contains("\u{1b}[34m") && coloured.contains("\u{1b}[31m"));
}

#[test]
fn gaps_and_a_logarithmic_axis() {
    let with_gap =
        decay(3.0).enumerate().map(|(step, y)| if (12..20).contains(&step) { f64::NAN } else { y });
    let chart = Chart { y_axis: Axis::Log, ..chart(vec![curve("", with_gap)]) };
    insta::assert_snapshot!(chart.terminal(SIZE, Colour::Plain));
    let svg = chart.svg(SvgSize::default());
    // Two stretches are two moves.
    let line = svg.split("class=\"line\"").nth(1).and_then(|rest| rest.split("d=\"").nth(1)).expect("a line");
    assert_eq!(line.split('"').next().expect("a path").matches('M').count(), 2);
}

#[test]
fn nothing_to_draw_is_said() {
    let empty = chart(vec![curve("a", [f64::NAN, f64::INFINITY])]);
    assert!(empty.terminal(SIZE, Colour::Plain).contains("no values to draw"));
    assert!(empty.svg(SvgSize::default()).contains("no values to draw"));
    let below_zero = Chart { y_axis: Axis::Log, ..chart(vec![curve("a", [-1.0, 0.0])]) };
    assert!(below_zero.svg(SvgSize::default()).contains("no values to draw"));
}

#[test]
fn a_million_values_are_a_bounded_picture_with_its_peaks() {
    let noisy = (0..1_000_000_u32).map(|step| if step == 700_001 { 9.0 } else { f64::from(step % 7) / 7.0 });
    let svg = chart(vec![curve("a", noisy)]).svg(SvgSize::default());
    assert!(svg.len() < 60_000, "{}", svg.len());
    let document = roxmltree::Document::parse(&svg).expect("it is XML");
    let line = document.descendants().find(|node| node.attribute("class") == Some("line")).expect("a line");
    // The peak touches the top of the frame.
    assert!(line.attribute("d").is_some_and(|path| path.contains(" 34.0")), "the peak is lost");
}

#[test]
fn svg_is_xml_without_script_and_with_both_colour_schemes() {
    let hostile = "</title><script>alert(1)</script>\u{1b}\u{202e}\"'&";
    let mut chart =
        chart((0..30).map(|index| curve(&format!("{hostile}{index}"), [1.0, f64::from(index)])).collect());
    chart.title = hostile.to_owned();
    chart.y_label = hostile.to_owned();
    let svg = chart.svg(SvgSize::default());
    let document = roxmltree::Document::parse(&svg).expect("it is XML");
    let names: Vec<&str> = document.descendants().map(|node| node.tag_name().name()).collect();
    assert!(!names.contains(&"script") && names.contains(&"style"));
    assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("and 6 more that are not drawn"));
    assert!(!svg.contains('\u{1b}') && !svg.contains('\u{202e}'));
}

proptest! {
    #[test]
    fn anything_can_be_drawn(
        points in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..40),
        label in "\\PC{0,12}",
        log in any::<(bool, bool)>(),
        columns in 0_usize..120,
        rows in 0_usize..40,
    ) {
        let axis = |log: bool| if log { Axis::Log } else { Axis::Linear };
        let points = points.into_iter().map(|(x, y)| Point { x, y }).collect();
        let chart = Chart {
            title: label.clone(),
            x_axis: axis(log.0),
            y_axis: axis(log.1),
            curves: vec![Curve { label: label.clone(), points }, curve(&label, [1.0, 2.0])],
            ..Chart::default()
        };
        let svg = chart.svg(SvgSize { width: columns as u32 * 10, height: rows as u32 * 10 });
        prop_assert!(roxmltree::Document::parse(&svg).is_ok(), "{}", svg);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let text = chart.terminal(TerminalSize { columns, rows }, Colour::Plain);
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    }
}
