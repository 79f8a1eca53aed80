//! What is read out of Python, case by case.

mod demands;
mod imports;
mod parameters;
mod state;

use actum_model::Reading;

fn read(text: &str) -> Reading {
    crate::read("python", text.as_bytes())
}
