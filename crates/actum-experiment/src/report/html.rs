//! A report as one HTML file: no scripts, nothing from elsewhere, light and dark.

use super::document::{Block, Document, Rows, Text, Tone};
use crate::plot::{SvgSize, escape_markup};

/// Nothing is loaded, nothing runs, nothing is sent. Styles are in the file.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("style.css");

pub(super) fn render(document: &Document) -> String {
    let title = escape_markup(&document.title);
    let mut body = String::new();
    for block in &document.blocks {
        write(block, 2, &mut body);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n{body}<footer>Made by Actum at {}.</footer>\n</main>\n</body>\n</html>\n",
        escape_markup(&document.made_at)
    )
}

fn write(block: &Block, level: usize, out: &mut String) {
    match block {
        Block::Heading(title) => out.push_str(&format!("<h{level}>{}</h{level}>\n", escape_markup(title))),
        Block::Paragraph(line) => out.push_str(&format!("<p>{}</p>\n", escape_markup(line))),
        Block::Facts(facts) => {
            out.push_str("<dl class=\"facts\">\n");
            for fact in facts {
                let class = match fact.tone {
                    Tone::Plain => "",
                    Tone::Good => " class=\"good\"",
                    Tone::Bad => " class=\"bad\"",
                };
                out.push_str(&format!(
                    "<div{class}><dt>{}</dt><dd>{}</dd></div>\n",
                    escape_markup(fact.name),
                    cell(&fact.value)
                ));
            }
            out.push_str("</dl>\n");
        }
        Block::Table(rows) => table(rows, out),
        Block::List(lines) => {
            let items: String =
                lines.iter().map(|line| format!("<li>{}</li>\n", escape_markup(line))).collect();
            out.push_str(&format!("<ul>\n{items}</ul>\n"));
        }
        Block::Checklist(checks) => {
            out.push_str("<ul class=\"checklist\">\n");
            for check in checks {
                let (class, mark) = if check.holds { ("good", "✓ holds") } else { ("bad", "✗ missing") };
                let (what, evidence) = (escape_markup(&check.what), escape_markup(&check.evidence));
                out.push_str(&format!(
                    "<li><span class=\"mark {class}\">{mark}</span> {what}<small>{evidence}</small></li>\n"
                ));
            }
            out.push_str("</ul>\n");
        }
        Block::Command(line) | Block::Source(line) => {
            out.push_str(&format!("<pre><code>{}</code></pre>\n", escape_markup(line)))
        }
        Block::Chart(chart) => {
            out.push_str(&format!("<figure>{}</figure>\n", chart.svg(SvgSize { width: 980, height: 300 })));
        }
        Block::Details { title, open, blocks } => {
            let open = if *open { " open" } else { "" };
            out.push_str(&format!("<details{open}><summary>{}</summary>\n", escape_markup(title)));
            blocks.iter().for_each(|block| write(block, (level + 1).min(6), out));
            out.push_str("</details>\n");
        }
    }
}

fn table(rows: &Rows, out: &mut String) {
    let is_number =
        |column: usize| rows.rows.iter().any(|row| matches!(row.get(column), Some(Text::Number(_))));
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for (column, title) in rows.titles.iter().enumerate() {
        let class = if is_number(column) { " class=\"number\"" } else { "" };
        out.push_str(&format!("<th{class} scope=\"col\">{}</th>", escape_markup(title)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &rows.rows {
        out.push_str("<tr>");
        for value in row {
            let class = if matches!(value, Text::Number(_)) { " class=\"number\"" } else { "" };
            out.push_str(&format!("<td{class}>{}</td>", cell(value)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
    if rows.left_out > 0 {
        out.push_str(&format!("<p>{} more</p>\n", rows.left_out));
    }
}

fn cell(value: &Text) -> String {
    let escaped = escape_markup(value.as_str());
    match value {
        Text::Plain(_) | Text::Number(_) => escaped,
        Text::Code(_) => format!("<code>{escaped}</code>"),
    }
}
