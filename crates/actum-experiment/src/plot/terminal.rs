//! A chart in a terminal: two by four dots of braille in each character.

use super::sample::{Place, stretches};
use super::{Chart, Prepared, label};
use unicode_width::UnicodeWidthStr;

/// Of the whole chart, with its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    pub columns: usize,
    pub rows: usize,
}

/// Whether the terminal shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Coloured,
}

/// Sizes beyond these are a mistake of the caller's.
const COLUMNS: std::ops::RangeInclusive<usize> = 30..=400;
const ROWS: std::ops::RangeInclusive<usize> = 5..=200;
/// Bits of a braille character, by row and column of a dot.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
/// Blue, red, green, magenta, yellow, cyan: the terminal's own, so that they suit its background.
const COLOURS: [u8; 6] = [34, 31, 32, 35, 33, 36];

struct Canvas {
    width: usize,
    height: usize,
    dots: Vec<u8>,
    /// Which curve was drawn last into a character.
    owner: Vec<usize>,
    /// The letter of a curve at its end.
    letters: Vec<Option<char>>,
}

pub(super) fn draw(chart: &Chart, size: TerminalSize, colour: Colour) -> String {
    let columns = size.columns.clamp(*COLUMNS.start(), *COLUMNS.end());
    let rows = size.rows.clamp(*ROWS.start(), *ROWS.end());
    let title = label(&chart.title, columns);
    let Some(prepared) = chart.prepare(columns / 14, (rows / 2).max(2)) else {
        return format!("{title}\n  no values to draw\n");
    };
    let gutter = prepared.y.ticks.iter().map(|tick| tick.label.width()).max().unwrap_or(0).min(columns / 3);
    let mut canvas = Canvas::new(columns - gutter - 2, rows);
    let several = prepared.curves.len() > 1;
    for (index, curve) in prepared.curves.iter().enumerate() {
        let stretches = stretches(chart, curve, &prepared.x, &prepared.y, canvas.width * 2);
        for stretch in &stretches {
            canvas.line(stretch, index);
        }
        if let Some(end) = stretches.last().and_then(|stretch| stretch.last()).filter(|_| several) {
            canvas.mark(*end, letter(index), index);
        }
    }
    let mut out = String::new();
    if !title.is_empty() {
        out.push_str(&format!("{title}\n"));
    }
    let name = label(&chart.y_label, columns);
    if !name.is_empty() {
        out.push_str(&format!("{name}\n"));
    }
    canvas.write(&prepared, gutter, colour, &mut out);
    x_axis(chart, &prepared, gutter, canvas.width, &mut out);
    legend(&prepared, columns, colour, &mut out);
    out
}

fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

fn painted(text: &str, index: usize, colour: Colour) -> String {
    match colour {
        Colour::Plain => text.to_owned(),
        Colour::Coloured => format!("\u{1b}[{}m{text}\u{1b}[0m", COLOURS[index % COLOURS.len()]),
    }
}

fn x_axis(chart: &Chart, prepared: &Prepared<'_>, gutter: usize, width: usize, out: &mut String) {
    let mut line: Vec<char> = vec!['─'; width];
    let mut labels: Vec<char> = vec![' '; width + gutter + 2];
    let mut free = 0;
    for tick in &prepared.x.ticks {
        let at = ((tick.at * (width - 1) as f64).round() as usize).min(width - 1);
        let text: Vec<char> = tick.label.chars().collect();
        let start =
            (at + gutter + 2).saturating_sub(text.len() / 2).min(labels.len().saturating_sub(text.len()));
        if start < free || start + text.len() > labels.len() {
            continue;
        }
        line[at] = '┬';
        labels[start..start + text.len()].copy_from_slice(&text);
        free = start + text.len() + 1;
    }
    out.push_str(&format!("{} └{}\n", " ".repeat(gutter), line.into_iter().collect::<String>()));
    out.push_str(labels.into_iter().collect::<String>().trim_end());
    out.push('\n');
    let name = label(&chart.x_label, width);
    if !name.is_empty() {
        out.push_str(&format!("{}{name}\n", " ".repeat(gutter + 2 + width.saturating_sub(name.width()) / 2)));
    }
}

fn legend(prepared: &Prepared<'_>, columns: usize, colour: Colour, out: &mut String) {
    if prepared.curves.len() < 2 {
        return;
    }
    for (index, curve) in prepared.curves.iter().enumerate() {
        let sign = painted(&letter(index).to_string(), index, colour);
        out.push_str(&format!("  {sign}  {}\n", label(&curve.label, columns.saturating_sub(5))));
    }
    if prepared.left_out > 0 {
        out.push_str(&format!("  …  and {} more\n", prepared.left_out));
    }
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        let cells = width * height;
        Self { width, height, dots: vec![0; cells], owner: vec![0; cells], letters: vec![None; cells] }
    }

    /// The dot of a place, from the top left.
    fn dot(&self, place: Place) -> (i64, i64) {
        let (columns, rows) = (self.width * 2 - 1, self.height * 4 - 1);
        ((place.x * columns as f64).round() as i64, ((1.0 - place.y) * rows as f64).round() as i64)
    }

    fn line(&mut self, stretch: &[Place], index: usize) {
        let dots: Vec<(i64, i64)> = stretch.iter().map(|place| self.dot(*place)).collect();
        if let Some(first) = dots.first() {
            self.set(first.0, first.1, index);
        }
        for pair in dots.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs());
            for step in 1..=steps {
                let share = step as f64 / steps as f64;
                let along = |from: i64, to: i64| from + ((to - from) as f64 * share).round() as i64;
                self.set(along(from.0, to.0), along(from.1, to.1), index);
            }
        }
    }

    fn set(&mut self, x: i64, y: i64, index: usize) {
        let (x, y) = (x.max(0) as usize, y.max(0) as usize);
        let cell = (y / 4).min(self.height - 1) * self.width + (x / 2).min(self.width - 1);
        self.dots[cell] |= DOTS[y % 4][x % 2];
        self.owner[cell] = index;
    }

    /// A letter at the end of a curve; where one is already, in the next character that is free above or below.
    fn mark(&mut self, place: Place, letter: char, index: usize) {
        let (x, y) = self.dot(place);
        let column = (x as usize / 2).min(self.width - 1);
        let row = (y as usize / 4).min(self.height - 1);
        let mut rows: Vec<usize> = (0..self.height).collect();
        rows.sort_by_key(|other| other.abs_diff(row));
        let free = rows.into_iter().find(|row| self.letters[row * self.width + column].is_none());
        if let Some(row) = free {
            self.letters[row * self.width + column] = Some(letter);
            self.owner[row * self.width + column] = index;
        }
    }

    fn write(&self, prepared: &Prepared<'_>, gutter: usize, colour: Colour, out: &mut String) {
        let mut labels: Vec<Option<&str>> = vec![None; self.height];
        for tick in &prepared.y.ticks {
            let row = ((1.0 - tick.at) * (self.height - 1) as f64).round() as usize;
            labels[row.min(self.height - 1)] = Some(&tick.label);
        }
        for (row, name) in labels.iter().enumerate() {
            let name = name.unwrap_or("");
            let bar = if name.is_empty() { '│' } else { '┤' };
            out.push_str(&format!("{}{name} {bar}", " ".repeat(gutter.saturating_sub(name.width()))));
            let mut line = String::new();
            for cell in row * self.width..(row + 1) * self.width {
                let sign = match (self.letters[cell], self.dots[cell]) {
                    (Some(letter), _) => letter,
                    (None, 0) => ' ',
                    (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('?'),
                };
                line.push_str(&if sign == ' ' {
                    " ".to_owned()
                } else {
                    painted(&sign.to_string(), self.owner[cell], colour)
                });
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}
