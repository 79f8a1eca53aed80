//! Event files as tensorboardX writes them.

use crate::python::{printed, run, with_package};
use actum_metrics::MetricPoint;
use actum_metrics::read::{FollowedFile, MetricReader};
use actum_model::Moment;

const WRITER: &str = "
import math, numpy, sys
from tensorboardX import SummaryWriter
writer = SummaryWriter('logs')
for step in range(1000):
    writer.add_scalar('train/loss', 1 / (step + 1), step, walltime=1700000000 + step)
    if step % 10 == 0:
        writer.add_scalars('lr', {'a': 0.5 ** step, 'b': step}, step)
writer.add_scalar('odd', math.nan, 5)
writer.add_scalar('odd', -math.inf, 6)
writer.add_text('note', 'no number', 1)
writer.add_histogram('weights', numpy.arange(1000), 1)
writer.add_text('long', 'x' * 5_000_000, 1)
writer.add_hparams({'lr': 0.1}, {'hparam/acc': 0.75}, name='trial')
writer.add_scalar('last', 1.5, 123456789012)
writer.close()
";

#[test]
fn scalars_that_tensorboardx_wrote_are_read_exactly() {
    let Some(python) = with_package("tensorboardX") else { return };
    let folder = tempfile::tempdir().unwrap();
    printed(&run(&python, folder.path(), WRITER, &[]));
    let points = read_below(&folder.path().join("logs"));
    let of = |key: &str| points.iter().filter(|point| point.key == key).collect::<Vec<_>>();
    let loss = of("train/loss");
    assert_eq!(loss.len(), 1000);
    for (step, point) in loss.iter().enumerate() {
        assert_eq!(point.value, f64::from(1.0 / (step as f64 + 1.0) as f32));
        assert_eq!(point.step, Some(step as u64));
        assert_eq!(point.time, Some(Moment((1_700_000_000 + step as u64) * 1_000_000)));
    }
    let odd: Vec<_> = of("odd").iter().map(|point| (point.value.to_string(), point.step)).collect();
    assert_eq!(odd, [("NaN".to_owned(), Some(5)), ("-inf".to_owned(), Some(6))]);
    assert_eq!(of("last")[0].step, Some(123_456_789_012));
    assert_eq!(of("hparam/acc")[0].value, 0.75);
    let rates = points.iter().filter(|point| point.key.starts_with("lr")).count();
    assert_eq!(
        rates,
        200,
        "{:?}",
        points.iter().map(|point| &point.key).collect::<std::collections::BTreeSet<_>>()
    );
    for key in ["note", "note/text_summary", "weights", "long", "long/text_summary"] {
        assert_eq!(of(key).len(), 0, "{key}");
    }
}

/// The points of every event file below a folder, each read in pieces of its growth.
fn read_below(folder: &std::path::Path) -> Vec<MetricPoint> {
    let mut points = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            points.extend(read_below(&path));
            continue;
        }
        let mut followed = FollowedFile::new(MetricReader::for_file(path.to_str().unwrap()).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        let growing = folder.join("growing");
        for length in [0, 5, bytes.len() / 3, bytes.len() / 2, bytes.len()] {
            std::fs::write(&growing, &bytes[..length]).unwrap();
            let (file, _) = actum_gate::open_named(&growing).unwrap();
            let update = followed.read_on(&file, None).unwrap();
            assert!(!update.is_rewritten && !update.has_more);
            points.extend(update.points);
        }
        std::fs::remove_file(growing).unwrap();
        assert_eq!(followed.reader().ended(), None, "{}", path.display());
    }
    points
}
