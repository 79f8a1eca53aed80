//! actum-attacks
