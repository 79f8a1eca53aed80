//! Names of one run's own places, taken out of its texts, so that the same thing has the same name in two runs.
//!
//! A reproduction runs in another folder, with another output folder and another id. None of this is a difference.

use crate::manifest::Manifest;

/// What the output folder is called in a comparison.
const OUTPUT: &str = "{output}";

/// The places of one run.
pub(crate) struct Places {
    /// Texts and what stands for them, the longest first.
    names: Vec<(String, &'static str)>,
    workspace: String,
    top: String,
    /// The workspace, relative to the repository's top.
    within: String,
    output: String,
}

impl Places {
    pub fn new(manifest: &Manifest) -> Self {
        let workspace = manifest.workspace.trim_end_matches('/').to_owned();
        let top = manifest.git.as_ref().map_or("", |git| git.top.trim_end_matches('/')).to_owned();
        let output = plain(&manifest.output).to_owned();
        let within = match (top.is_empty(), below(&workspace, &top)) {
            (false, Some(within)) => within.to_owned(),
            (true, _) | (false, None) => String::new(),
        };
        let mut names = vec![
            (manifest.run.to_string(), "{run}"),
            (manifest.run.short(), "{run}"),
            (workspace.clone(), "{workspace}"),
            (top.clone(), "{workspace}"),
        ];
        if !output.is_empty() {
            names.push((format!("{workspace}/{output}"), OUTPUT));
            names.push((output.clone(), OUTPUT));
        }
        names.retain(|(name, _)| name.len() > 1);
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { names, workspace, top, within, output }
    }

    /// A text without the names of this run's places.
    pub fn text(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, stands)| replace_whole(&text, name, stands))
    }

    /// A path, relative to the repository or else to the workspace; absolute where it lies in neither.
    pub fn path(&self, path: &str) -> String {
        if path.starts_with('/') {
            if let Some(rest) = below(path, &self.workspace) {
                return self.relative(rest);
            }
            let inside = (!self.top.is_empty()).then(|| below(path, &self.top)).flatten();
            return inside.map_or_else(|| path.to_owned(), str::to_owned);
        }
        self.relative(plain(path))
    }

    /// A path in the output folder.
    pub fn artifact(path: &str) -> String {
        format!("{OUTPUT}/{}", plain(path))
    }

    pub fn is_in_output(path: &str) -> bool {
        path.starts_with(OUTPUT)
    }

    fn relative(&self, path: &str) -> String {
        if !self.output.is_empty()
            && let Some(rest) = below(path, &self.output)
        {
            return Self::artifact(rest);
        }
        match self.within.as_str() {
            "" => path.to_owned(),
            within => format!("{within}/{path}"),
        }
    }
}

/// Without what says nothing.
fn plain(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    if path == "." { "" } else { path }
}

/// What follows a folder in a path.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Replaces a name where it is not a part of a longer one.
fn replace_whole(text: &str, name: &str, with: &str) -> String {
    if name.len() < 2 || !text.contains(name) {
        return text.to_owned();
    }
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for (at, _) in text.match_indices(name) {
        let follows = text[at + name.len()..].chars().next();
        if at < end || text[..at].chars().next_back().is_some_and(goes_on) || follows.is_some_and(goes_on) {
            continue;
        }
        out.push_str(&text[end..at]);
        out.push_str(with);
        end = at + name.len();
    }
    out.push_str(&text[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_replaced() {
        assert_eq!(replace_whole("--out=out/a output out", "out", "X"), "--out=X/a output X");
        assert_eq!(replace_whole("/w/a:/w:/wide", "/w", "W"), "W/a:W:/wide");
        assert_eq!(replace_whole("ééé", "é", "e"), "ééé");
    }

    #[test]
    fn what_lies_below_a_folder_is_relative_to_it() {
        assert_eq!(below("/a/b/c", "/a"), Some("b/c"));
        assert_eq!(below("/ab/c", "/a"), None);
        assert_eq!(below("/a", "/a"), Some(""));
        assert_eq!(plain("./x/"), "x");
    }
}
