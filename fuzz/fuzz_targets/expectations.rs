//! Expectations of a run, as lines and as tables.

#![no_main]

use actum_judge::{Settings, cases_of_table, line, read_table};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let load = |_: &str| Ok("{}".to_owned());
    let settings = Settings { tolerance: 0.0, load: &load };
    let _ = line(text, &settings);
    let _ = cases_of_table("cases.toml", text);
    let _ = cases_of_table("cases.csv", text);
    if let Ok(table) = serde_json::from_str(text) {
        let _ = read_table(&table, &settings);
    }
});
