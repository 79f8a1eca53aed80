//! What is started, and with which parameters: read from the project's files, without running anything of it.

use crate::error::ExperimentError;
use crate::manifest::{ConfigFacts, DataFacts, ParameterFacts, ParameterOrigin, Purpose};
use crate::output_folder::OutputFolder;
use crate::request::ExperimentRequest;
use actum_engine::{Engine, RequestBuilder, SourceChoice};
use actum_gate::{Bound, Root};
use actum_model::{DeclaredParameter, DefaultValue, Digest, Framework, Runtime, Untrusted};
use actum_parameters::config_file::{self, Config, ConfigSearch, Format};
use actum_parameters::data::{DataRole, data_uses, find_preparation};
use actum_parameters::declared::{self, Leaf};
use actum_parameters::entry::{self, Choice};
use actum_parameters::resolve::{self, Inputs, Origin, Resolved};
use actum_parameters::smoke::{self, How};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder of copies of configurations, in the output folder.
const CONFIG_FOLDER: &str = "config";

/// A command, and what its text says.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) words: Vec<String>,
    pub(crate) is_file: bool,
    /// Why this command, where none was given.
    pub(crate) found: Option<String>,
    /// The program's own file, relative to its working folder, and where its own words begin.
    file: Option<(String, usize)>,
    pub(crate) declared: Vec<DeclaredParameter>,
    pub(crate) runtime: Option<Runtime>,
    pub(crate) language: Option<String>,
    pub(crate) resolved: Resolved,
    config: Option<Config>,
    pub(crate) data: DataFacts,
    /// What was changed for this run, in sentences.
    pub(crate) notes: Vec<String>,
}

impl Program {
    /// Finds the command, and reads what it declares.
    pub(crate) fn find(
        engine: &Engine,
        request: &ExperimentRequest,
        (workspace, folder): (&Path, &Path),
    ) -> Result<Self, ExperimentError> {
        let mut program = Self::read_only(engine, &request.asked, (workspace, folder))?;
        program.configure(request, folder)?;
        Ok(program)
    }

    /// The command with what its text declares, and nothing put together from that.
    pub(crate) fn read_only(
        engine: &Engine,
        asked: &RequestBuilder,
        (workspace, folder): (&Path, &Path),
    ) -> Result<Self, ExperimentError> {
        let mut program = Self::of_source(asked, workspace)?;
        program.file = match program.is_file {
            true => program.words.first().map(|file| (file.clone(), 1)),
            false => declared::program_of(&program.words).map(|of| (of.file, of.words_at)),
        };
        program.read(engine, asked, folder);
        Ok(program)
    }

    /// The words behind the program's own file.
    pub(crate) fn own_words(&self) -> &[String] {
        let at = self.file.as_ref().map_or(self.words.len().min(1), |(_, at)| *at);
        self.words.get(at..).unwrap_or_default()
    }

    fn of_source(asked: &RequestBuilder, workspace: &Path) -> Result<Self, ExperimentError> {
        let (words, is_file) = match &asked.source {
            SourceChoice::Command(words) => (words.clone(), false),
            SourceChoice::File(path) => {
                let first = [path.clone().into_os_string()];
                (first.into_iter().chain(asked.arguments.iter().cloned()).collect(), true)
            }
            SourceChoice::Shell(line) => (vec!["/bin/sh".into(), "-c".into(), line.clone()], false),
            SourceChoice::Nothing => return Self::of_project(workspace),
            SourceChoice::Stdin(_) | SourceChoice::Code(_) => {
                return Err(ExperimentError::Request {
                    what: "an experiment cannot be run from code on stdin or the command line".to_owned(),
                    hint: "save the code in a file, so that it can be run again".to_owned(),
                });
            }
        };
        let text = |word: OsString| {
            word.into_string().map_err(|word| ExperimentError::Request {
                what: format!("the word {word:?} of the command is not UTF-8"),
                hint: "rename the file; a manifest is text".to_owned(),
            })
        };
        let words = words.into_iter().map(text).collect::<Result<_, _>>()?;
        Ok(Self { words, is_file, ..Self::default() })
    }

    /// The way in which the project is usually started.
    fn of_project(workspace: &Path) -> Result<Self, ExperimentError> {
        let root = Root::open(workspace).map_err(ExperimentError::gate)?;
        let entries = entry::find_entries(&root);
        match entry::choose(&entries, None) {
            Choice::One(entry) => {
                Ok(Self { words: entry.command, found: Some(entry.why), ..Self::default() })
            }
            Choice::Several(several) => {
                let line = |entry: &entry::Entry| {
                    let words: Vec<String> =
                        entry.command.iter().map(|word| Untrusted::new(word.as_str()).shown(200)).collect();
                    format!("  {}  ({})", words.join(" "), Untrusted::new(entry.file.as_str()).shown(200))
                };
                let list: Vec<String> = several.iter().take(20).map(line).collect();
                Err(ExperimentError::SeveralEntries { list: list.join("\n") })
            }
            Choice::None => Err(ExperimentError::NoEntry { workspace: workspace.to_path_buf() }),
        }
    }

    /// Reads the program's text, in a sandbox. What cannot be read declares nothing.
    fn read(&mut self, engine: &Engine, asked: &RequestBuilder, folder: &Path) {
        let Some((file, _)) = &self.file else { return };
        let path = folder.join(file);
        if !path.is_file() {
            return;
        }
        let source = SourceChoice::File(path);
        let asked = RequestBuilder { source, arguments: Vec::new(), ..asked.clone() };
        let needs = match engine.request(asked).and_then(|request| engine.plan(&request)) {
            Ok(plan) => plan.programs.into_iter().next(),
            Err(error) => {
                let why = actum_engine::describe(&error);
                return self.notes.push(format!("cannot read what {file} declares: {why}"));
            }
        };
        let Some(needs) = needs else { return };
        self.language = Some(needs.language);
        self.runtime = needs.runtime;
        if let Some(reading) = needs.reading {
            self.data_calls(&reading);
            self.declared = reading.parameters;
        }
    }

    fn data_calls(&mut self, reading: &actum_model::Reading) {
        for one in data_uses(&[], &reading.data_sets) {
            add_data(&mut self.data, one);
        }
    }

    /// Puts parameters, configuration and `--set` together.
    fn configure(&mut self, request: &ExperimentRequest, folder: &Path) -> Result<(), ExperimentError> {
        let root = Root::open(folder).map_err(ExperimentError::gate)?;
        let (file, words_at) = self.file.clone().unwrap_or((String::new(), self.words.len().min(1)));
        let words = self.words.get(words_at..).unwrap_or_default().to_vec();
        self.config = self.find_config(&root, request.config.as_deref(), &words)?;
        let is_hydra = self.declared.iter().any(|one| one.framework == Framework::Hydra);
        let leaves: Vec<Leaf> = match &self.config {
            Some(config) if is_hydra => declared::compose(&root, &config.file, &words)?.leaves,
            Some(config) => declared::leaves(&config.value, &config.file),
            None => Vec::new(),
        };
        let mut set = request.set.clone();
        if request.purpose == Purpose::Smoke {
            self.shorten(&leaves, &words, &mut set)?;
        }
        let inputs =
            Inputs { declared: &self.declared, program: &file, config: &leaves, words: &words, set: &set };
        self.resolved = resolve::resolve(&inputs)?;
        self.words.extend(self.resolved.more_words.iter().cloned());
        for one in data_uses(&self.resolved.parameters, &[]) {
            add_data(&mut self.data, one);
        }
        let steps = find_preparation(&root, &self.data.paths);
        self.data.preprocessing = steps.into_iter().take(10).map(|step| step.sentence).collect();
        Ok(())
    }

    /// The configuration that the program reads, if that is known.
    fn find_config(
        &self,
        root: &Root,
        given: Option<&Path>,
        words: &[String],
    ) -> Result<Option<Config>, ExperimentError> {
        if let Some(given) = given {
            return Ok(Some(Config::read(root, &given.to_string_lossy())?));
        }
        match config_file::find(root, words, &self.declared, None)? {
            ConfigSearch::One(choice) if Format::of(&choice.file).is_some() => {
                Ok(Some(Config::read(root, &choice.file)?))
            }
            ConfigSearch::One(_) | ConfigSearch::Several(_) | ConfigSearch::None => Ok(None),
        }
    }

    /// Makes the run short, by what the program declares.
    fn shorten(
        &mut self,
        leaves: &[Leaf],
        words: &[String],
        set: &mut Vec<String>,
    ) -> Result<(), ExperimentError> {
        let declared = declared::of_command(&self.declared, words);
        let overrides = smoke::overrides(&declared, &[], leaves);
        if overrides.is_empty() {
            return Err(ExperimentError::Request {
                what:
                    "cannot make a smoke run: the program declares no steps, epochs or limits that are known"
                        .to_owned(),
                hint: "name what makes it short, as in --set epochs=1, without --smoke".to_owned(),
            });
        }
        for one in overrides {
            self.notes.push(format!("smoke run: {}={} ({})", one.name, one.value, one.why));
            match one.how {
                How::Words(words) => self.words.extend(words),
                How::ConfigKey => set.push(format!("{}={}", one.name, one.value)),
            }
        }
        Ok(())
    }

    /// Saves the configuration in the output folder, with what `--set` changes, and leads the command to the copy.
    pub(crate) fn save_config(
        &mut self,
        request: &ExperimentRequest,
        (folder, output): (&Path, &OutputFolder),
    ) -> Result<Vec<ConfigFacts>, ExperimentError> {
        let Some(config) = &self.config else { return Ok(Vec::new()) };
        let root = Root::open(folder).map_err(ExperimentError::gate)?;
        let path = Path::new(&config.file);
        let text = root.read_text(path, Bound::SMALL).map_err(ExperimentError::gate)?.into_string();
        let mut facts =
            ConfigFacts { path: config.file.clone(), sha256: Digest::of(&text), copy: None, set: Vec::new() };
        let changes = &self.resolved.config_changes;
        let changed = match changes.is_empty() {
            true => text,
            false => config_file::set_values(&text, config.format, changes)?.text,
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        output.write_below(CONFIG_FOLDER, &name, changed.as_bytes())?;
        facts.copy = Some(format!("{}/{CONFIG_FOLDER}/{name}", output.shown));
        if !changes.is_empty() {
            facts.set = changes.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let copy = output.path.join(CONFIG_FOLDER).join(&name).to_string_lossy().into_owned();
            self.lead_to(&copy, request)?;
        }
        Ok(vec![facts])
    }

    /// Replaces the configuration's path in the command, or adds the option that names it.
    fn lead_to(&mut self, copy: &str, request: &ExperimentRequest) -> Result<(), ExperimentError> {
        let Some(config) = &self.config else { return Ok(()) };
        let is_it = |text: &str| Path::new(text) == Path::new(&config.file);
        for word in &mut self.words {
            if is_it(word) {
                *word = copy.to_owned();
                return Ok(());
            }
            let led = word.split_once('=').filter(|(_, value)| is_it(value));
            if let Some(led) = led.map(|(flag, _)| format!("{flag}={copy}")) {
                *word = led;
                return Ok(());
            }
        }
        let flags = config_file::config_flags(&self.declared);
        let declares = |flag: &String| self.declared.iter().any(|one| one.flags.contains(flag));
        match flags.into_iter().find(declares) {
            Some(flag) => {
                self.words.extend([flag, copy.to_owned()]);
                Ok(())
            }
            None => Err(ExperimentError::Request {
                what: format!(
                    "cannot set {}: the program reads {} by itself, and has no option for another file",
                    request.set.join(" "),
                    config.file
                ),
                hint: "give the program an option such as --config, or change the file".to_owned(),
            }),
        }
    }

    /// The parameters as a manifest has them.
    pub(crate) fn parameters(&self) -> Vec<ParameterFacts> {
        let fact = |one: &resolve::Parameter| ParameterFacts {
            name: one.name.clone(),
            value: value_of(&one.value),
            origin: match &one.origin {
                Origin::CommandLine => ParameterOrigin::CommandLine,
                Origin::Set => ParameterOrigin::Set,
                Origin::Config { file } => ParameterOrigin::Config { file: file.clone() },
                Origin::Default { file, line } => {
                    ParameterOrigin::Default { file: file.clone(), line: *line }
                }
            },
        };
        self.resolved.parameters.iter().map(fact).collect()
    }

    /// A name for the experiment: that of its program.
    pub(crate) fn name(&self) -> String {
        let file =
            self.file.as_ref().map(|(file, _)| file.as_str()).or(self.words.first().map(String::as_str));
        let stem = file
            .and_then(|file| PathBuf::from(file).file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        stem.unwrap_or_else(|| "experiment".to_owned())
    }

    /// As a source for the engine.
    pub(crate) fn source(&self) -> (SourceChoice, Vec<OsString>) {
        let words = || self.words.iter().map(OsString::from);
        match self.is_file {
            true => {
                let file = self.words.first().map(PathBuf::from).unwrap_or_default();
                (SourceChoice::File(file), words().skip(1).collect())
            }
            false => (SourceChoice::Command(words().collect()), Vec::new()),
        }
    }
}

fn value_of(value: &DefaultValue) -> serde_json::Value {
    match value {
        DefaultValue::Literal(value) => value.clone(),
        DefaultValue::Computed(text) => serde_json::Value::String(text.clone()),
    }
}

fn add_data(data: &mut DataFacts, one: actum_parameters::data::DataUse) {
    match one.role {
        DataRole::DataSet | DataRole::Variant => {
            data.name.get_or_insert(one.value);
        }
        DataRole::Split => {
            data.split.get_or_insert(one.value);
        }
        DataRole::Path => {
            if data.paths.len() < 50 && !data.paths.contains(&one.value) {
                data.paths.push(one.value);
            }
        }
    }
}
