//! actum-testkit
