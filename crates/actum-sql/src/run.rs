//! Carries out a script, statement after statement, and stops at the first error.

use crate::cell::{Cell, bytes, plain};
use crate::database;
use crate::error::{SqlError, message};
use crate::script::Script;
use crate::table::Table;
use crate::tag::Verb;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection, Statement};
use std::io::Write;
use std::path::PathBuf;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// A file, created where it is not there. None and `:memory:` are a database in memory.
    pub database: Option<PathBuf>,
    pub script: Vec<u8>,
    pub format: Format,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Aligned, as `psql` does it.
    #[default]
    Table,
    /// Comma-separated with a line of names; bytes of text as they are.
    Csv,
}

/// As a shell tells of a program that wrote into a closed pipe: 128 + 13.
const BROKEN_PIPE: i32 = 141;

/// Runs the script. Results go to `out`, as they come; what went wrong goes to `errors` with its line. Ends with 0, or with
/// 1 after the first error: the rest is not carried out, and an open transaction is rolled back.
pub fn run(options: &Options, out: &mut dyn Write, errors: &mut dyn Write) -> i32 {
    let ended = carry_out(options, out, errors).and_then(|()| Ok(out.flush()?));
    let Err(error) = ended else { return 0 };
    if error.is_broken_pipe() {
        return BROKEN_PIPE;
    }
    // What came before the error stands before it. If neither can be written, the code still tells.
    let _ = out.flush();
    let _ = writeln!(errors, "error: {}", plain(error.to_string().as_bytes()));
    1
}

fn carry_out(options: &Options, out: &mut dyn Write, errors: &mut dyn Write) -> Result<(), SqlError> {
    let mut script = Script::read(&options.script)?;
    let text = script.text();
    let connection = database::open(options.database.as_deref())?;
    let mut batch = Batch::new(&connection, &text);
    loop {
        let line = script.next_line();
        let statement = batch.next().map_err(|error| located(&error, &mut script, line))?;
        let Some(mut statement) = statement else { break };
        let failed = |error: &rusqlite::Error| SqlError::Statement { line, message: message(error) };
        if statement.parameter_count() > 0 {
            let message = "the statement has parameters, but a script has no values for them".to_owned();
            return Err(SqlError::Statement { line, message });
        }
        // Without parameters this is the statement as it is written.
        let taken = statement.expanded_sql().unwrap_or_default();
        script.advance(&taken);
        let verb = Verb::of(&taken);
        print(&mut statement, options.format, out, &failed)?;
        if options.format == Format::Table && (statement.column_count() == 0 || verb.changes_rows()) {
            writeln!(out, "{}", verb.tag(connection.changes()))?;
        }
        if verb == Verb::Other("ATTACH DATABASE".to_owned()) {
            database::check_names(&connection)?;
        }
    }
    warn_of_open_transaction(&connection, errors);
    Ok(())
}

/// An error of reading a statement knows its place more exactly than the statement's first line.
fn located(error: &rusqlite::Error, script: &mut Script, line: usize) -> SqlError {
    let exact = if let rusqlite::Error::SqlInputError { sql, offset, .. } = error {
        let start = script.len().saturating_sub(sql.len());
        usize::try_from(*offset).ok().map(|offset| script.line_of(start + offset))
    } else {
        None
    };
    SqlError::Statement { line: exact.unwrap_or(line), message: message(error) }
}

/// Steps to the end; prints rows where the statement has columns.
fn print(
    statement: &mut Statement<'_>,
    format: Format,
    out: &mut dyn Write,
    failed: &dyn Fn(&rusqlite::Error) -> SqlError,
) -> Result<(), SqlError> {
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.raw_query();
    if names.is_empty() {
        while rows.next().map_err(|error| failed(&error))?.is_some() {}
        return Ok(());
    }
    let mut table = Table::new(names.iter().map(|name| Cell::of_text(name)).collect());
    if format == Format::Csv {
        write_record(names.iter().map(|name| name.as_bytes().to_vec()), out)?;
    }
    while let Some(row) = rows.next().map_err(|error| failed(&error))? {
        let values = (0..names.len()).map(|index| row.get_ref(index));
        let values = values.collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?;
        match format {
            Format::Table => table.row(values.into_iter().map(Cell::of).collect(), out)?,
            Format::Csv => write_record(values.into_iter().map(bytes), out)?,
        }
    }
    match format {
        Format::Table => Ok(table.finish(out)?),
        Format::Csv => Ok(()),
    }
}

/// One line of CSV: a field is quoted where it holds a comma, a quote or a line break.
fn write_record(fields: impl Iterator<Item = Vec<u8>>, out: &mut dyn Write) -> Result<(), SqlError> {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        if field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
            out.write_all(b"\"")?;
            for part in field.split_inclusive(|byte| *byte == b'"') {
                out.write_all(part)?;
                if part.ends_with(b"\"") {
                    out.write_all(b"\"")?;
                }
            }
            out.write_all(b"\"")?;
        } else {
            out.write_all(&field)?;
        }
    }
    out.write_all(b"\n")?;
    Ok(())
}

/// Changes that nobody committed are lost; that is seldom what was meant.
fn warn_of_open_transaction(connection: &Connection, errors: &mut dyn Write) {
    if !connection.is_autocommit() {
        let _ = writeln!(errors, "warning: the script ended inside a transaction, which was rolled back");
    }
}

#[cfg(test)]
mod tests;
