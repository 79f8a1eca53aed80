//! How errors and warnings look, one language a file.
//!
//! A file has its language's names and one function, [`Look`]: does something of this language begin at this line? The
//! order of the table is from the most telling shape to the least; the declared language is asked before all of them.

mod c;
mod generic;
mod go;
mod java;
mod javascript;
mod julia;
mod lua;
mod perl;
mod php;
mod python;
mod r;
mod ruby;
mod rust;
mod shell;
mod sql;

use super::sight::{Look, Scene, Sighting};

struct Language {
    names: &'static [&'static str],
    look: Look,
}

const LANGUAGES: &[Language] = &[
    Language { names: python::NAMES, look: python::look },
    Language { names: rust::NAMES, look: rust::look },
    Language { names: go::NAMES, look: go::look },
    Language { names: java::NAMES, look: java::look },
    Language { names: javascript::NAMES, look: javascript::look },
    Language { names: c::NAMES, look: c::look },
    Language { names: php::NAMES, look: php::look },
    Language { names: ruby::NAMES, look: ruby::look },
    Language { names: lua::NAMES, look: lua::look },
    Language { names: julia::NAMES, look: julia::look },
    Language { names: r::NAMES, look: r::look },
    Language { names: sql::NAMES, look: sql::look },
    Language { names: shell::NAMES, look: shell::look },
    Language { names: perl::NAMES, look: perl::look },
];

/// What begins at this line, in any language.
pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    if scene.at(at).is_empty() {
        return None;
    }
    look_declared(scene, at).or_else(|| LANGUAGES.iter().find_map(|language| (language.look)(scene, at)))
}

/// What begins at this line in the declared language.
pub(super) fn look_declared(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let declared = LANGUAGES.iter().find(|language| scene.asked.speaks(language.names))?;
    (declared.look)(scene, at)
}

/// What nobody knows better.
pub(super) fn look_generic(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    generic::look(scene, at)
}
