//! actum-egress
