//! Text for HTML, SVG and XML.

/// Escapes text for a place between tags or in an attribute, and leaves out what XML has no way to write.
pub fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape_markup("<a b=\"c\">'&\u{0}\u{ffff}é"),
            "&lt;a b=&quot;c&quot;&gt;&#39;&amp;\u{fffd}\u{fffd}é"
        );
    }
}
