//! actum-sandbox
pub mod changes;
