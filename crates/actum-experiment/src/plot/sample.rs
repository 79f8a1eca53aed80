//! Fewer points with the same picture: for each column the first, the least, the greatest and the last value.

use super::{Chart, Curve, scale::Scale};

/// A stretch of a curve without gaps. Places go from 0 to 1, upwards.
pub(super) type Stretch = Vec<Place>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub x: f64,
    pub y: f64,
}

/// What falls into one column.
struct Column {
    index: usize,
    places: [Place; 4],
    after_gap: bool,
}

/// The stretches of a curve, in the order of x. At most four places for each column; a gap within one column is not seen.
pub(super) fn stretches(chart: &Chart, curve: &Curve, x: &Scale, y: &Scale, columns: usize) -> Vec<Stretch> {
    let mut points: Vec<_> = curve.points.iter().filter(|point| chart.x_axis.shows(point.x)).collect();
    if !points.is_sorted_by(|a, b| a.x <= b.x) {
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let mut done: Vec<Column> = Vec::new();
    let mut gap = true;
    for point in points {
        if !chart.y_axis.shows(point.y) {
            gap = true;
            continue;
        }
        let place = Place { x: x.place(point.x), y: y.place(point.y) };
        let index = (place.x * columns as f64) as usize;
        match done.last_mut().filter(|column| column.index == index) {
            Some(column) => column.add(place),
            None => done.push(Column { index, places: [place; 4], after_gap: gap }),
        }
        gap = false;
    }
    let mut all: Vec<Stretch> = Vec::new();
    for column in done {
        match all.last_mut().filter(|_| !column.after_gap) {
            Some(stretch) => stretch.extend(column.distinct()),
            None => all.push(column.distinct()),
        }
    }
    all
}

impl Column {
    fn add(&mut self, place: Place) {
        let [_, least, greatest, last] = &mut self.places;
        if place.y < least.y {
            *least = place;
        }
        if place.y > greatest.y {
            *greatest = place;
        }
        *last = place;
    }

    fn distinct(&self) -> Vec<Place> {
        let mut places = self.places.to_vec();
        places.sort_by(|a, b| a.x.total_cmp(&b.x));
        // First and last stay where they are, also where several have the same x.
        let [first, _, _, last] = self.places;
        places.retain(|place| *place != first && *place != last);
        places.insert(0, first);
        places.push(last);
        places.dedup();
        places
    }
}
