//! actum-sandbox
