//! Another way to start a program: the launcher beside it, never a change to it.

use super::super::situation::Way;
use super::{Case, Change, Choice};
use actum_model::RemedyKind;

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    if case.language == "python" && case.file.is_some() {
        return python(case);
    }
    None
}

fn python(case: &Case<'_>) -> Option<Choice> {
    let (way, what, why) = match case.diagnosis.row.as_str() {
        "py-submodule-missing" => (
            Way::Clean,
            "start it where no file hides a library",
            "a file beside it has the name of a library",
        ),
        "py-circular-shadow" if is_shadowed(case) => (
            Way::Clean,
            "start it where no file hides a library",
            "it has the name of a library that it imports",
        ),
        "nb-magic" | "nb-display" => (
            Way::Magics,
            "start it as a notebook would",
            "some of its lines are a notebook's and not Python's",
        ),
        "py-toplevel-await" => {
            (Way::Await, "start it inside an event loop", "it awaits outside of any function")
        }
        "py-multiproc-main" => (
            Way::Fork,
            "let its workers be copies of it",
            "each worker reads the program again and starts workers of its own",
        ),
        "py-mpl-backend" => (Way::Figures, "save its figures as files", "there is no screen to show them on"),
        "py-repl-prompt" => (
            Way::Prompts,
            "leave the prompts of the transcript out",
            "it was copied from an interactive session",
        ),
        _ => return None,
    };
    let altered = case.altered(|to| to.ways.extend([way]));
    Some(Change::new(RemedyKind::Launcher, what, why, altered).permanently(permanent(way)).choice())
}

/// The module is named like the program's own file, or like one beside it.
fn is_shadowed(case: &Case<'_>) -> bool {
    let stem = case.file.and_then(|file| file.file_stem()).and_then(|stem| stem.to_str());
    let top = case.subject().split('.').next().unwrap_or_default();
    stem == Some(top) || actum_prepare::packages::is_standard(top, case.interpreter.unwrap_or((3, 11)))
}

fn permanent(way: Way) -> &'static str {
    match way {
        Way::Clean => "give the file another name",
        Way::Magics => "save it as a notebook, or take the lines that begin with % and ! out",
        Way::Await => "put the awaiting code into `async def main()` and call `asyncio.run(main())`",
        Way::Fork => "put the code that starts workers below `if __name__ == \"__main__\":`",
        Way::Figures => "call `savefig` in the place of `show`",
        Way::Prompts => "save the code without its prompts",
    }
}
