//! The newest checkpoint among files: by its number, or by its time where it has none.

use std::collections::HashMap;

/// A file below the folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    pub path: String,
    /// Seconds and nanoseconds.
    pub modified: (i64, i64),
    pub size: u64,
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Checkpoint {
    /// As an option for resuming takes it.
    pub path: String,
    /// Step, epoch or whatever its name counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Nothing about it looks as if its writing was cut.
    pub is_whole: bool,
    pub modified: (i64, i64),
}

/// More files are not looked at.
const MOST: usize = 200_000;

/// The newest checkpoint, whole ones first. Within a series of names the number decides, between series the time.
pub fn newest_checkpoint(files: &[FileFacts]) -> Option<Checkpoint> {
    let mut found: HashMap<String, Group> = HashMap::new();
    for file in files.iter().take(MOST) {
        let Some(named) = named(&file.path) else { continue };
        let group = found.entry(named.path.clone()).or_insert_with(|| Group::of(named));
        group.add(file);
    }
    let mut groups: Vec<Group> = found.into_values().collect();
    groups.sort_by(|one, other| one.named.path.cmp(&other.named.path));
    mark_incomplete(&mut groups);
    let mut best: HashMap<String, Group> = HashMap::new();
    for group in groups {
        let series = (group.named.series.clone(), group.is_whole());
        let key = format!("{}\u{0}{}", series.0, series.1);
        match best.get(&key) {
            Some(known) if !group.is_later(known) => {}
            Some(_) | None => {
                best.insert(key, group);
            }
        }
    }
    let newest = best.into_values().max_by(|one, other| one.rank().cmp(&other.rank()))?;
    let is_whole = newest.is_whole();
    Some(Checkpoint {
        path: newest.named.path,
        number: newest.named.number,
        is_whole,
        modified: newest.modified,
    })
}

/// What the name of a file says.
struct Named {
    /// Of the checkpoint: the file, or the folder that it is in.
    path: String,
    number: Option<u64>,
    /// The path without its numbers.
    series: String,
    is_folder: bool,
    is_temporary: bool,
    /// `best`: chosen by a metric, not the last state.
    is_best: bool,
}

/// The files of one checkpoint.
struct Group {
    named: Named,
    names: Vec<String>,
    modified: (i64, i64),
    has_empty: bool,
    size: u64,
    lacks_parts: bool,
}

impl Group {
    fn of(named: Named) -> Self {
        Group {
            named,
            names: Vec::new(),
            modified: (i64::MIN, 0),
            has_empty: false,
            size: 0,
            lacks_parts: false,
        }
    }

    fn add(&mut self, file: &FileFacts) {
        self.modified = self.modified.max(file.modified);
        self.size = self.size.saturating_add(file.size);
        let name = file.path.strip_prefix(&self.named.path).unwrap_or_default().trim_start_matches('/');
        // Marks that are empty by intention.
        let is_mark = name.starts_with('.')
            || name.ends_with("latest")
            || name.ends_with("__init__.py")
            || name.ends_with("COMMIT_SUCCESS");
        self.has_empty |= file.size == 0 && !is_mark;
        self.named.is_temporary |= is_temporary(name);
        if self.names.len() < 1_000 {
            self.names.push(name.to_owned());
        }
    }

    fn is_whole(&self) -> bool {
        !self.has_empty && !self.named.is_temporary && self.size > 0 && !self.lacks_parts
    }

    fn is_later(&self, other: &Self) -> bool {
        (self.named.number, self.modified) > (other.named.number, other.modified)
    }

    /// By which the newest is chosen: the later a field, the less it counts.
    fn rank(&self) -> Rank<'_> {
        let is_last = self.named.number.is_none() && !self.named.is_best;
        Rank {
            is_whole: self.is_whole(),
            is_no_best: !self.named.is_best,
            modified: self.modified,
            is_last,
            path: &self.named.path,
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank<'g> {
    is_whole: bool,
    is_no_best: bool,
    modified: (i64, i64),
    is_last: bool,
    path: &'g str,
}

/// Folders that lack the file which is written last into their siblings.
fn mark_incomplete(groups: &mut [Group]) {
    const LAST: [&str; 4] = ["trainer_state.json", "latest", "commit_success.txt", "_CHECKPOINT_METADATA"];
    let mut has: HashMap<String, Vec<&str>> = HashMap::new();
    for group in groups.iter().filter(|group| group.named.is_folder) {
        let found = LAST.iter().filter(|last| group.names.iter().any(|name| name == *last)).copied();
        has.entry(group.named.series.clone()).or_default().extend(found);
    }
    for group in groups.iter_mut().filter(|group| group.named.is_folder) {
        let expected = has.get(&group.named.series).map(Vec::as_slice).unwrap_or_default();
        group.lacks_parts = expected.iter().any(|last| !group.names.iter().any(|name| name == last));
    }
}

/// The checkpoint that a file is, or is part of.
fn named(path: &str) -> Option<Named> {
    let mut end = 0;
    for part in path.split('/') {
        let start = end;
        end = start + part.len();
        let is_last = end == path.len();
        if !is_last && is_folder(part) {
            return Some(of(path, start, end, true));
        }
        if is_last && is_file(part) {
            return Some(of(path, start, end, false));
        }
        end += 1;
    }
    None
}

fn of(path: &str, start: usize, end: usize, is_folder: bool) -> Named {
    let name = &path[start..end];
    let lower = name.to_lowercase();
    // TensorFlow names a checkpoint by what its files have in common.
    let end = if name.ends_with(".index") && !is_folder { end - ".index".len() } else { end };
    let path = path[..end].to_owned();
    let (number, series) = number_and_series(&path[start..]);
    let series = format!("{}{series}", &path[..start]);
    let is_best = lower.contains("best");
    let is_temporary = is_temporary(&lower) || lower.starts_with("tmp-");
    Named { path, number, series, is_folder, is_temporary, is_best }
}

fn is_temporary(name: &str) -> bool {
    let lower = name.to_lowercase();
    [".tmp", ".part", ".partial", ".incomplete", "~", ".lock"].iter().any(|ending| lower.ends_with(ending))
        || lower.contains(".tmp.")
        || lower.contains(".tmp-")
        || lower.contains("orbax-checkpoint-tmp")
}

/// `checkpoint-500`, `global_step100`, `step_20`, `epoch_3`, and the same while it is written.
fn is_folder(name: &str) -> bool {
    let lower = name.to_lowercase();
    let lower = lower.strip_prefix("tmp-").unwrap_or(&lower);
    let starts = ["checkpoint", "ckpt", "global_step", "global-step", "step", "epoch", "iter"];
    let rest = starts.iter().find_map(|start| lower.strip_prefix(start));
    rest.is_some_and(|rest| {
        let rest = rest.trim_start_matches(['-', '_', '=']);
        rest.starts_with(|first: char| first.is_ascii_digit())
    })
}

/// `last.ckpt`, `epoch=3-step=100.ckpt`, `ckpt_12.pt`, `model.ckpt-5000.index`
fn is_file(name: &str) -> bool {
    let mut lower = name.to_lowercase();
    for ending in [".tmp", ".part", ".partial", ".incomplete"] {
        lower = lower.strip_suffix(ending).map(str::to_owned).unwrap_or(lower);
    }
    let Some((stem, ending)) = lower.rsplit_once('.') else { return false };
    let is_sure = ending == "ckpt" || ending == "index" && stem.contains("ckpt");
    let is_weights =
        ["pt", "pth", "pth.tar", "tar", "bin", "safetensors", "h5", "keras", "pkl", "npz", "msgpack"]
            .contains(&ending);
    let words =
        ["ckpt", "checkpoint", "epoch", "step", "last", "latest", "iter", "snapshot", "best", "state"];
    is_sure
        || is_weights
            && words.iter().any(|word| stem.contains(word))
            && !stem.contains("scheduler")
            && !stem.contains("optimizer")
}

/// The number that a name counts by, and the name without its numbers: steps go before epochs.
fn number_and_series(name: &str) -> (Option<u64>, String) {
    let mut series = String::new();
    let mut found: Vec<(String, u64)> = Vec::new();
    let mut rest = name;
    // What stands behind a point is a fraction or an ending: `val_loss=0.25`, `v2.pt`.
    while let Some(at) = rest.find(|one: char| one.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = digits.split_at(length);
        let word = before
            .trim_end_matches(['-', '_', '=', '.'])
            .rsplit(['-', '_', '=', '.'])
            .next()
            .unwrap_or_default();
        let is_fraction =
            after.strip_prefix('.').is_some_and(|after| after.starts_with(|one: char| one.is_ascii_digit()))
                || before.ends_with('.')
                    && found.last().is_none_or(|(word, _)| word.is_empty())
                    && series.ends_with('#');
        if let Ok(number) = digits.parse()
            && !is_fraction
        {
            found.push((word.to_lowercase(), number));
        }
        series.push_str(before);
        series.push('#');
        rest = after;
    }
    series.push_str(rest);
    let by_step = found.iter().find(|(word, _)| word.contains("step") || word.contains("iter"));
    let by_name = by_step.or_else(|| {
        found
            .iter()
            .find(|(word, _)| !word.contains("loss") && !word.contains("acc") && !word.contains("score"))
    });
    (by_name.map(|(_, number)| *number), series)
}
