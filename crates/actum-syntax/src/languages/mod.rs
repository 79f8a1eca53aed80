//! stub
use crate::grammar::Grammar;
use actum_model::Reading;
pub(crate) fn read(_g: Grammar, _text: &str, _reading: &mut Reading) {}
