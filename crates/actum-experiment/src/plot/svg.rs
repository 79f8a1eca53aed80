//! A chart as SVG: no script, nothing from elsewhere, colours that people with any colour vision tell apart.

use super::sample::{Stretch, stretches};
use super::{Chart, Prepared, escape_markup, label};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// In pixels, with axes and legend; the legend grows with the number of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SvgSize {
    pub width: u32,
    pub height: u32,
}

impl Default for SvgSize {
    fn default() -> Self {
        Self { width: 720, height: 320 }
    }
}

/// Okabe and Ito's colours without the two that are too pale on white, for light and for dark backgrounds.
const COLOURS: [[&str; 2]; 6] = [
    ["#0072b2", "#56b4e9"],
    ["#d55e00", "#f08a3c"],
    ["#009e73", "#3ccfa4"],
    ["#b5528c", "#e79ac4"],
    ["#946300", "#e6b422"],
    ["#4a4a4a", "#d0d0d0"],
];
/// A second curve of one colour has another stroke.
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];
/// The estimated width of a character, in pixels.
const CHARACTER: f64 = 6.4;
const LEGEND_ROW: f64 = 18.0;

/// Where the curves are.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

pub(super) fn draw(chart: &Chart, size: SvgSize) -> String {
    let (width, height) = (f64::from(size.width.clamp(200, 4000)), f64::from(size.height.clamp(120, 4000)));
    let title = escape_markup(&label(&chart.title, 120));
    let Some(prepared) = chart.prepare((width / 110.0) as usize, (height / 55.0) as usize) else {
        return format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} 40\" width=\"{width}\" role=\"img\" \
             class=\"chart\"><title>{title}</title><text x=\"8\" y=\"24\" fill=\"currentColor\" \
             font-size=\"13\">{title}: no values to draw</text></svg>\n"
        );
    };
    let entries = legend_entries(&prepared, width);
    let rows = entries.iter().map(|entry| entry.row + 1).max().unwrap_or(0);
    let widest = prepared.y.ticks.iter().map(|tick| tick.label.width()).max().unwrap_or(0);
    let y_name = if chart.y_label.is_empty() { 0.0 } else { 18.0 };
    let frame = {
        let left = 16.0 + y_name + widest as f64 * CHARACTER;
        Frame { left, top: 34.0, width: width - left - 20.0, height: height - 34.0 - 48.0 }
    };
    let whole = height + rows as f64 * LEGEND_ROW;
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" width=\"{width}\" height=\"{whole}\" role=\"img\" \
         class=\"chart\">\n<title>{title}</title>\n{}<text class=\"title\" x=\"{}\" y=\"20\">{title}</text>\n",
        style(prepared.curves.len()),
        frame.left
    );
    axes(chart, &prepared, &frame, &mut out);
    for (index, curve) in prepared.curves.iter().enumerate() {
        let stretches = stretches(chart, curve, &prepared.x, &prepared.y, frame.width as usize);
        path(&stretches, index, &curve.label, &frame, &mut out);
    }
    legend(&entries, prepared.left_out, height, &mut out);
    out.push_str("</svg>\n");
    out
}

fn style(curves: usize) -> String {
    let shade = |dark: usize| -> String {
        let used = COLOURS.iter().take(curves).enumerate();
        used.map(|(index, colours)| format!(".chart .s{index}{{--c:{}}}", colours[dark])).collect()
    };
    format!(
        "<style>.chart{{font:12px system-ui,sans-serif;--ink:#24292f;--faint:#d8dee4}}{}.chart text{{fill:var(--ink)}}\
         .chart .title{{font-size:14px;font-weight:600}}.chart .grid{{stroke:var(--faint);stroke-width:1}}\
         .chart .axis{{stroke:var(--ink);stroke-width:1;fill:none}}\
         .chart .line{{fill:none;stroke:var(--c);stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}}\
         .chart .dot{{fill:var(--c)}}\
         @media (prefers-color-scheme:dark){{.chart{{--ink:#e6edf3;--faint:#30363d}}{}}}</style>\n",
        shade(0),
        shade(1)
    )
}

fn axes(chart: &Chart, prepared: &Prepared<'_>, frame: &Frame, out: &mut String) {
    let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
    for tick in &prepared.y.ticks {
        let y = bottom - tick.at * frame.height;
        let text = escape_markup(&tick.label);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{:.1} {y:.1}H{right:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            frame.left,
            frame.left - 6.0,
            y + 4.0
        );
    }
    let mut free = f64::MIN;
    for tick in &prepared.x.ticks {
        let x = frame.left + tick.at * frame.width;
        let half = tick.label.width() as f64 * CHARACTER / 2.0;
        let _ = writeln!(out, "<path class=\"axis\" d=\"M{x:.1} {bottom:.1}v4\"/>");
        if x - half > free {
            let text = escape_markup(&tick.label);
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 17.0
            );
            free = x + half + 8.0;
        }
    }
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{:.1} {:.1}V{bottom:.1}H{right:.1}\"/>",
        frame.left, frame.top
    );
    let x_name = escape_markup(&label(&chart.x_label, 80));
    if !x_name.is_empty() {
        let middle = frame.left + frame.width / 2.0;
        let _ = writeln!(
            out,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x_name}</text>",
            bottom + 36.0
        );
    }
    let y_name = escape_markup(&label(&chart.y_label, 40));
    if !y_name.is_empty() {
        let middle = frame.top + frame.height / 2.0;
        let _ = writeln!(
            out,
            "<text transform=\"translate(14 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{y_name}</text>"
        );
    }
}

fn path(stretches: &[Stretch], index: usize, name: &str, frame: &Frame, out: &mut String) {
    let x = |share: f64| frame.left + share * frame.width;
    let y = |share: f64| frame.top + (1.0 - share) * frame.height;
    let name = escape_markup(&label(name, 80));
    let colour = index % COLOURS.len();
    let dash = DASHES[index / COLOURS.len() % DASHES.len()];
    let _ = write!(out, "<g class=\"s{colour}\"><title>{name}</title>");
    let mut line = String::new();
    for stretch in stretches {
        if let [only] = stretch.as_slice() {
            // A single point has no line.
            let _ = write!(
                out,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.4\"/>",
                x(only.x),
                y(only.y)
            );
            continue;
        }
        for (at, place) in stretch.iter().enumerate() {
            let _ = write!(line, "{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, x(place.x), y(place.y));
        }
    }
    if !line.is_empty() {
        let _ = write!(out, "<path class=\"line\" stroke-dasharray=\"{dash}\" d=\"{line}\"/>");
    }
    out.push_str("</g>\n");
}

struct Entry {
    index: usize,
    text: String,
    x: f64,
    row: usize,
}

/// Entries in rows that are as wide as the chart. None for a single curve without a name.
fn legend_entries(prepared: &Prepared<'_>, width: f64) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut x, mut row) = (16.0, 0);
    for (index, curve) in prepared.curves.iter().enumerate() {
        let most = ((width - 80.0) / CHARACTER) as usize;
        let text = label(&curve.label, most.min(60));
        if text.is_empty() && prepared.curves.len() == 1 {
            return entries;
        }
        let wide = 34.0 + text.width() as f64 * CHARACTER + 18.0;
        if x > 16.0 && x + wide > width {
            (x, row) = (16.0, row + 1);
        }
        entries.push(Entry { index, text, x, row });
        x += wide;
    }
    entries
}

fn legend(entries: &[Entry], left_out: usize, top: f64, out: &mut String) {
    for entry in entries {
        let y = top + 6.0 + entry.row as f64 * LEGEND_ROW;
        let colour = entry.index % COLOURS.len();
        let dash = DASHES[entry.index / COLOURS.len() % DASHES.len()];
        let text = escape_markup(&entry.text);
        let _ = writeln!(
            out,
            "<g class=\"s{colour}\"><path class=\"line\" stroke-dasharray=\"{dash}\" d=\"M{:.1} {:.1}h24\"/><text x=\"{:.1}\" y=\"{y:.1}\">{text}</text></g>",
            entry.x,
            y - 4.0,
            entry.x + 30.0
        );
    }
    if left_out > 0 {
        let _ = writeln!(
            out,
            "<text x=\"16\" y=\"{:.1}\">and {left_out} more that are not drawn</text>",
            top - 6.0
        );
    }
}
