//! stub
use actum_model::Reading;
pub(crate) fn read(_text: &str, _reading: &mut Reading) {}
