//! Line charts of metrics: for a terminal, and as SVG that stands by itself.
//!
//! Input: a [`Chart`] of curves. Output: text. Values that are not finite are gaps, and so is what a logarithmic axis cannot show. A curve
//! of any length costs at most four points for each column of the picture. Pure. Start at [`Chart`].

mod escape;
mod sample;
mod scale;
mod svg;
mod terminal;
#[cfg(test)]
mod tests;

pub use escape::escape_markup;
pub use svg::SvgSize;
pub use terminal::{Colour, TerminalSize};

pub(crate) use scale::number;

use scale::Scale;

/// More curves than this are counted and not drawn: nobody could tell them apart.
const MOST_CURVES: usize = 24;

/// A picture of several curves over one pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub x_axis: Axis,
    pub y_axis: Axis,
    pub curves: Vec<Curve>,
}

/// How values are laid along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    #[default]
    Linear,
    /// Zero and what is below are gaps.
    Log,
}

/// The values of one metric in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub label: String,
    pub points: Vec<Point>,
}

/// One value. What is not finite is a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// What both pictures need: scales that hold all curves, and the curves in order.
struct Prepared<'a> {
    x: Scale,
    y: Scale,
    curves: Vec<&'a Curve>,
    left_out: usize,
}

impl Chart {
    /// For a terminal: braille dots, axes, and a legend. Readable without colour.
    pub fn terminal(&self, size: TerminalSize, colour: Colour) -> String {
        terminal::draw(self, size, colour)
    }

    /// An `svg` element for a page or a file: without scripts, with colours for light and dark.
    pub fn svg(&self, size: SvgSize) -> String {
        svg::draw(self, size)
    }

    /// None where no curve has a value that can be shown.
    fn prepare(&self, x_ticks: usize, y_ticks: usize) -> Option<Prepared<'_>> {
        let curves: Vec<&Curve> = self.curves.iter().take(MOST_CURVES).collect();
        let shown = || {
            let points = curves.iter().flat_map(|curve| &curve.points);
            points.filter(|point| self.x_axis.shows(point.x) && self.y_axis.shows(point.y))
        };
        let x = Scale::fit(shown().map(|point| point.x), self.x_axis, x_ticks)?;
        let y = Scale::fit(shown().map(|point| point.y), self.y_axis, y_ticks)?;
        let left_out = self.curves.len() - curves.len();
        Some(Prepared { x, y, curves, left_out })
    }
}

impl Axis {
    fn shows(self, value: f64) -> bool {
        value.is_finite() && (self == Axis::Linear || value > 0.0)
    }
}

/// A label in one harmless line.
fn label(text: &str, most: usize) -> String {
    actum_model::Untrusted::new(text).shown(most)
}
