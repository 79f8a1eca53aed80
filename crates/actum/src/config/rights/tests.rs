//! The table against the types, against the documents, and row by row against a project's file.

use super::*;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, VariantAccess, Visitor};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Reads a type without a text, and notes every key that it asks for.
#[derive(Clone)]
struct Tracer<'k> {
    names: Vec<String>,
    keys: &'k RefCell<BTreeSet<String>>,
}

impl Tracer<'_> {
    fn below(&self, name: &str) -> Self {
        Self { names: self.names.iter().cloned().chain([name.to_owned()]).collect(), keys: self.keys }
    }

    fn note(&self) {
        self.keys.borrow_mut().insert(self.names.join("."));
    }
}

impl<'de> de::Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note();
        visitor.visit_u64(1)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note();
        visitor.visit_str("x")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note();
        visitor.visit_bool(true)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note();
        visitor.visit_seq(de::value::SeqDeserializer::<std::iter::Empty<u64>, Error>::new(std::iter::empty()))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { tracer: self, fields: vec!["*"], next: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { tracer: self, fields: fields.to_vec(), next: None })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note();
        visitor.visit_enum(Variant(variants[0]))
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct identifier
        ignored_any
    }
}

struct Fields<'k> {
    tracer: Tracer<'k>,
    fields: Vec<&'static str>,
    next: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.next = self.fields.pop();
        let key = self.next.map(|name| -> StrDeserializer<'static, Error> { name.into_deserializer() });
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.tracer.below(self.next.unwrap()))
    }
}

struct Variant(&'static str);

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name: StrDeserializer<'static, Error> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Error> {
        Err(de::Error::custom("no such variant"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("no such variant"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("no such variant"))
    }
}

/// Every key that the types of the configuration know.
fn keys_of_types() -> BTreeSet<String> {
    let keys = RefCell::default();
    let tracer = Tracer { names: Vec::new(), keys: &keys };
    crate::config::File::deserialize(tracer).unwrap();
    keys.into_inner()
}

#[test]
fn every_key_of_the_types_has_a_row_and_every_row_a_key() {
    let rows: BTreeSet<String> = TABLE.iter().map(|row| row.key.to_owned()).collect();
    assert_eq!(rows.len(), TABLE.len(), "a key has two rows");
    assert_eq!(rows, keys_of_types());
}

#[test]
fn the_documents_show_the_table() {
    let page = include_str!("../../../../../docs/design/config.md");
    for row in TABLE {
        let line = format!("| `{}` | {} | {} |", row.key, row.right.shown(), row.why);
        assert!(page.contains(&line), "docs/design/config.md lacks: {line}");
    }
}

/// What a project would write there to reach further.
fn widest(key: &str) -> &'static str {
    match key {
        "policy.profile" => "[policy]\nprofile = \"open\"",
        "limits.*" => "[limits]\nmemory = \"900GiB\"",
        "request.approval" => "[request]\napproval = \"never\"",
        "request.longest" => "[request]\nlongest = \"900d\"",
        "language.*.names" => "[language.x]\nnames = [\"y\"]",
        "language.*.extensions" => "[language.x]\nextensions = [\"y\"]",
        "language.*.shebangs" => "[language.x]\nshebangs = [\"y\"]",
        "language.*.run" => "[language.x]\nrun = [\"y\", \"{file}\"]",
        "language.*.compile" => "[language.x]\ncompile = [\"y\"]",
        "language.*.check" => "[language.x]\ncheck = [\"y\"]",
        "language.*.version" => "[language.x]\nversion = [\"y\"]",
        "language.*.package" => "[language.x]\npackage = \"y\"",
        "endings.grace" => "[endings]\ngrace = \"1h\"",
        "changes.keep" => "[changes]\nkeep = \"always\"",
        "redact.patterns" => "[redact]\npatterns = [\"a{9999}\"]",
        "redact.off" => "[redact]\noff = [\"jwt\"]",
        "packages.prepare" => "[packages]\nprepare = \"auto\"",
        "packages.allow" => "[packages]\nallow = [\"y\"]",
        "packages.deny" => "[packages]\ndeny = []",
        "packages.index" => "[packages]\nindex = \"https://y.example\"",
        "packages.wheels" => "[packages]\nwheels = \"/\"",
        "packages.age" => "[packages]\nage = \"0s\"",
        "packages.strangers" => "[packages]\nstrangers = \"accept\"",
        "packages.builds" => "[packages]\nbuilds = true",
        "recover.attempts" => "[recover]\nattempts = 999",
        "recover.builds" => "[recover]\nbuilds = 999",
        "recover.raises" => "[recover]\nraises = 999",
        "recover.times" => "[recover]\ntimes = 999",
        "recover.ceiling.*" => "[recover.ceiling]\nmemory = \"900GiB\"",
        "experiment.output" => "[experiment]\noutput = \"x\"",
        "experiment.resume" => "[experiment]\nresume = \"--x\"",
        "tasks.agent" => "[tasks]\nagent = \"y\"",
        "tasks.require" => "[tasks]\nrequire = [\"y\"]",
        "tasks.words" => "[tasks]\nwords = []",
        "tasks.match" => "[tasks]\nmatch = \"part\"",
        "tasks.variables.*" => "[tasks.variables]\nDATABASE_URL = \"postgres://y\"",
        "hook.commands" => "[hook]\ncommands = \"observe\"",
        "hook.walls" => "[hook]\nwalls = \"none\"",
        "hook.block" => "[hook]\nblock = \"never\"",
        "expect.*" => "[expect]\nexit = 0",
        other => panic!("no example for {other}"),
    }
}

#[test]
fn no_row_lets_a_project_reach_further() {
    use crate::config::{Config, Whose};
    let bare = Config::embedded().unwrap();
    for row in TABLE {
        let (text, path) = (widest(row.key), Path::new("actum.toml"));
        let checked = check(&toml::from_str(text).unwrap(), path);
        let mut config = bare.clone();
        let laid = config.lay_over(text, path, Whose::Projects);
        match row.right {
            Right::User => assert!(checked.is_err(), "{text}"),
            Right::Trusted => assert!(!checked.unwrap().is_empty(), "{text}"),
            Right::NarrowOrRefused => assert!(checked.unwrap().is_empty() && laid.is_err(), "{text}"),
            Right::Bounded if row.key == "tasks.variables.*" => {
                assert!(!checked.unwrap().is_empty(), "{text}")
            }
            Right::Bounded if row.key == "redact.patterns" => assert!(laid.is_err(), "{text}"),
            Right::Narrow => {
                assert!(checked.unwrap().is_empty(), "{text}");
                laid.unwrap();
                let reach = |config: &Config| {
                    let times = (config.run.longest, config.run.grace, config.run.approval(None));
                    format!(
                        "{:?} {:?} {times:?} {:?} {:?} {:?}",
                        config.run.keep,
                        config.run.limits,
                        config.run.bounds,
                        config.run.packages,
                        config.hook
                    )
                };
                assert_eq!(reach(&config), reach(&bare), "{text}");
            }
            Right::Describe | Right::Bounded => {
                assert!(checked.unwrap().is_empty(), "{text}");
                laid.unwrap();
            }
        }
    }
}

#[test]
fn names_that_mean_something_are_reserved() {
    for name in [
        "DATABASE_URL",
        "database_url",
        "PGHOST",
        "LD_PRELOAD",
        "PYTHONPATH",
        "PATH",
        "http_proxy",
        "BASH_ENV",
        "ACTUM_X",
    ] {
        assert!(is_reserved(name), "{name}");
    }
    for name in ["ROOT", "MULTI_AGENT_ROOT", "MODEL", "DATA", "PATHS"] {
        assert!(!is_reserved(name), "{name}");
    }
}

/// Types that are read from a table can be read from a list as well, past every key.
#[test]
fn no_table_is_written_as_a_list() {
    let above: BTreeSet<String> = TABLE
        .iter()
        .flat_map(|row| {
            let names: Vec<&str> = row.key.split('.').collect();
            (1..names.len()).map(move |end| names[..end].join(".").replace('*', "x")).collect::<Vec<_>>()
        })
        .collect();
    assert!(above.contains("redact") && above.contains("packages"), "{above:?}");
    for key in above.iter().filter(|key| !key.starts_with("expect")) {
        for text in [
            format!("{key} = [[], [\"x\"]]"),
            format!("{key} = []"),
            format!("{key} = 1"),
            format!("[[{key}]]\nx = 1"),
        ] {
            let table: toml::Table = text.parse().unwrap();
            let checked = check(&table, Path::new("actum.toml"));
            assert!(matches!(checked, Err(ConfigError::NotATable { .. })), "{text}: {checked:?}");
        }
    }
}
