//! `requirements.txt`: what is there stays, what is missing is added, a version that differs is replaced.

use actum_model::PreparedFacts;
use actum_prepare::bare as name_of;

/// The text with every package that was asked for.
pub(super) fn with(text: &str, prepared: &PreparedFacts) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for pin in pins(prepared) {
        let name = name_of(&pin);
        match lines.iter_mut().find(|line| name_of(line) == name) {
            // Whoever wrote a line knew what it was for: only one without a version gets one.
            Some(line) if line.trim().eq_ignore_ascii_case(&name) => *line = pin,
            Some(_) => {}
            None => lines.push(pin),
        }
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// What was asked for, each in the version that it had: `numpy==2.3.5`.
pub(super) fn pins(prepared: &PreparedFacts) -> Vec<String> {
    // Releases of another day only fit each other: all of them are written down.
    if prepared.newest.is_some() {
        return prepared.packages.iter().map(|one| format!("{}=={}", one.name, one.version)).collect();
    }
    let asked = prepared.requirements.iter().map(|asked| name_of(asked));
    let locked = asked.filter_map(|name| prepared.packages.iter().find(|one| name_of(&one.name) == name));
    locked.map(|one| format!("{}=={}", one.name, one.version)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::prepared;
    use super::*;

    #[test]
    fn what_is_there_stays() {
        let text = "# mine\nnumpy\nrequests>=2\n";
        assert_eq!(
            with(text, &prepared()),
            "# mine\nnumpy==2.3.5\nrequests>=2\nopencv-python-headless==4.13.0\n"
        );
        assert_eq!(with("", &prepared()), "numpy==2.3.5\nopencv-python-headless==4.13.0\n");
        let once = with(text, &prepared());
        assert_eq!(with(&once, &prepared()), once);
    }
}
