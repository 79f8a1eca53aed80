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
            "start it in a folder where no file shadows a library",
            "a file next to it has the name of a library",
        ),
        "py-circular-shadow" if is_shadowed(case) => (
            Way::Clean,
            "start it in a folder where no file shadows a library",
            "it has the name of a library that it imports",
        ),
        "nb-magic" | "nb-display" => (
            Way::Magics,
            "run it with IPython, as a notebook would",
            "some lines are notebook syntax, not Python",
        ),
        "py-toplevel-await" => {
            (Way::Await, "start it inside an event loop", "it uses `await` outside a function")
        }
        "py-multiproc-main" => (
            Way::Fork,
            "start its worker processes with fork",
            "each worker process imports the program again and starts more workers",
        ),
        "py-mpl-backend" => (Way::Figures, "save its figures as files", "there is no display to show them"),
        "py-repl-prompt" => (
            Way::Prompts,
            "remove the prompts of the transcript",
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
        Way::Clean => "rename the file",
        Way::Magics => "save it as a notebook, or remove the lines that begin with % and !",
        Way::Await => "move the code that awaits into `async def main()` and call `asyncio.run(main())`",
        Way::Fork => "move the code that starts workers below `if __name__ == \"__main__\":`",
        Way::Figures => "call `savefig` instead of `show`",
        Way::Prompts => "save the code without its prompts",
    }
}
