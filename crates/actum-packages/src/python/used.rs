//! One use of a name, taken apart.
//!
//! `pandas.read_excel("a.xls")` is the path `pandas.read_excel` with a literal; `?.resample(rule="M")` is a method of
//! something unknown with an argument of a name and a literal. Tables are keyed by the same forms.

/// A use of a name: what is used, and what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Used<'a> {
    /// Dotted, without the call: `pandas.read_excel`, `?.applymap`.
    pub(crate) path: &'a str,
    pub(crate) keyword: Option<&'a str>,
    pub(crate) literal: Option<&'a str>,
}

impl<'a> Used<'a> {
    pub(crate) fn read(name: &'a str) -> Self {
        let Some((path, rest)) = name.split_once('(') else {
            return Used { path: name, keyword: None, literal: None };
        };
        let inside = rest.strip_suffix(')').unwrap_or(rest);
        let (keyword, value) = match inside.split_once('=') {
            Some((keyword, value)) if is_name(keyword) => (Some(keyword), value),
            Some(_) | None => (None, inside),
        };
        let literal = value.strip_prefix('"').map(|text| text.strip_suffix('"').unwrap_or(text));
        Used { path, keyword, literal }
    }

    /// The module that it belongs to, which is not known for a method of something unknown.
    pub(crate) fn top(&self) -> Option<&'a str> {
        Some(super::top_of(self.path)).filter(|top| *top != "?")
    }

    /// The keys under which a table may hold it, the more exact first: as written, by the scheme or ending of its literal,
    /// by its argument, by what is used alone, by the module that this is in.
    pub(crate) fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        let argument = self.keyword.map(|keyword| format!("{keyword}=")).unwrap_or_default();
        for literal in self.literal.into_iter().flat_map(literals) {
            keys.push(format!("{}({argument}\"{literal}\")", self.path));
            keys.push(format!("*({argument}\"{literal}\")"));
        }
        if let Some(keyword) = self.keyword {
            keys.push(format!("{}({keyword}=)", self.path));
        }
        keys.push(self.path.to_owned());
        let modules = super::prefixes(self.path).filter(|module| *module != "?");
        keys.extend(modules.map(|module| format!("{module}.*")));
        keys
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// A literal, and what stands for all of its kind.
fn literals(literal: &str) -> Vec<String> {
    let scheme = literal.split_once("://").map(|(scheme, _)| format!("{scheme}://"));
    let ending = literal.rsplit_once('.').map(|(_, ending)| format!("*.{}", ending.to_ascii_lowercase()));
    [Some(literal.to_owned()), scheme, ending].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_are_taken_apart() {
        for (name, path, keyword, literal) in [
            ("numpy.float", "numpy.float", None, None),
            ("?.applymap()", "?.applymap", None, None),
            ("a.B(sparse=)", "a.B", Some("sparse"), None),
            ("a.B(freq=\"M\")", "a.B", Some("freq"), Some("M")),
            ("bs4.BeautifulSoup(\"lxml\")", "bs4.BeautifulSoup", None, Some("lxml")),
            ("a.b(\"x=y\")", "a.b", None, Some("x=y")),
        ] {
            assert_eq!(Used::read(name), Used { path, keyword, literal }, "{name}");
        }
    }

    #[test]
    fn exact_keys_come_first() {
        let keys = Used::read("pandas.read_excel(\"a/b.XLS\")").keys();
        let place = |key: &str| keys.iter().position(|one| one == key);
        assert!(place("pandas.read_excel(\"*.xls\")") < place("pandas.read_excel"));
        assert!(place("pandas.read_excel") < place("pandas.*"));
        assert!(Used::read("a.b(\"mysql://h/d\")").keys().contains(&"a.b(\"mysql://\")".to_owned()));
    }

    proptest! {
        #[test]
        fn anything_is_read(name in ".{0,40}") {
            prop_assert!(!Used::read(&name).keys().is_empty());
        }
    }
}
