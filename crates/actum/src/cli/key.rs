//! `actum key`

use super::trouble::{Trouble, ended};
use crate::config;
use crate::screen;
use actum_engine::clock;
use actum_engine::{HelperProgram, StartedSigner, Surroundings};
use actum_gate::own;
use actum_model::{Entry, KeyChanged};
use actum_store::attest::ssh;
use actum_store::key::{KeyError, PublicKey, Signs};
use actum_store::{Choice, Keyring, Ledger, Reader, Store};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show and manage the keys that sign and verify the ledger
///
/// The signing key is created with the first run. Sandboxed programs cannot see it; only a separate process reads it.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Key {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Show(Show),
    Rotate(Rotate),
    Use(Use),
    Export(Export),
    Trust(Trust),
    Distrust(Distrust),
    Forget(Forget),
}

/// Print the public signing key in the format you need
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  actum key show
  actum key show --form pem > actum.pem
  actum key show --form allowed-signers > allowed_signers")]
struct Show {
    /// Print the key in this format
    #[arg(long, value_name = "FORM")]
    form: Option<Form>,
}

/// Create a new signing key and use it from now on
///
/// The old public key is kept, so that old signatures can be verified. The old private key is deleted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum key rotate")]
struct Rotate {}

/// Sign with your own key file or a key in ssh-agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum key use agent                       the only Ed25519 key in ssh-agent
  actum key use agent SHA256:2n4…           one of several
  actum key use own")]
struct Use {
    /// Use your own key file, or ssh-agent
    #[arg(value_name = "own|agent")]
    which: Which,
    /// Fingerprint or comment of a key in ssh-agent
    #[arg(value_name = "KEY")]
    key: Option<String>,
}

/// Write the public key to a folder in every format
///
/// These are the files that the VERIFY.md of a bundle uses.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum key export ~/trust          give these files to whoever verifies your bundles")]
struct Export {
    /// Folder to write to; created if missing
    folder: PathBuf,
}

/// Trust another person's key
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum key trust alice alice.pub
  actum key trust ci \"ssh-ed25519 AAAA… ci\"")]
struct Trust {
    /// Name for its owner
    name: String,
    /// PEM file, OpenSSH line or .pub file, or note key
    key: String,
}

/// Stop trusting a key
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum key distrust alice")]
struct Distrust {
    /// Name for its owner
    name: String,
}

/// Accept an older copy of the store that you restored
///
/// Actum remembers what it has signed for a store, so that a truncated ledger is detected. This forgets it. Use it only after
/// you restored an older copy on purpose.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum key forget")]
struct Forget {}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Form {
    /// For openssl
    Pem,
    /// For OpenSSH
    Ssh,
    /// For `ssh-keygen -Y verify`
    AllowedSigners,
    /// For C2SP notes, as in Go
    Note,
    /// For in-toto
    InToto,
    /// SHA256 fingerprint
    Fingerprint,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Which {
    Own,
    Agent,
}

impl Key {
    pub fn execute(self) -> ExitCode {
        ended(self.go())
    }

    fn go(self) -> Result<ExitCode, Trouble> {
        match self.what.unwrap_or(What::Show(Show::default())) {
            What::Show(show) => show.go(),
            What::Rotate(_) => change(|keyring, _| keyring.rotate()),
            What::Use(choice) => choice.go(),
            What::Export(export) => export.go(),
            What::Trust(trust) => trust.go(),
            What::Distrust(distrust) => distrust.go(),
            What::Forget(_) => forget(),
        }
    }
}

impl Show {
    fn go(&self) -> Result<ExitCode, Trouble> {
        let surroundings = config::surroundings()?;
        // Also the first time: whoever asks for the key wants one.
        let key = StartedSigner::begin(&surroundings, &HelperProgram::itself()?).signer()?.public();
        let name = origin(&surroundings);
        let name = name.as_deref().unwrap_or("actum");
        screen::say(&match self.form {
            Some(Form::Pem) => key.pem().trim_end().to_owned(),
            Some(Form::Ssh) => key.ssh_line("actum"),
            Some(Form::AllowedSigners) => ssh::allowed_signer(&key).trim_end().to_owned(),
            Some(Form::Note) => key.note_key(name),
            Some(Form::InToto) => serde_json::to_string_pretty(&key.in_toto())?,
            Some(Form::Fingerprint) => key.fingerprint(),
            None => overview(&surroundings, &key, name)?,
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn overview(surroundings: &Surroundings, key: &PublicKey, name: &str) -> Result<String, Trouble> {
    let keyring = Keyring::at(&surroundings.keys);
    let place = match keyring.choice() {
        Choice::Own => format!("in {}", surroundings.keys.display()),
        Choice::Agent(_) => "in ssh-agent".to_owned(),
    };
    let mut lines = vec![
        format!("{} signs, {place}", key.fingerprint()),
        format!("  {}", key.ssh_line("actum")),
        format!("  {}", key.note_key(name)),
    ];
    let retired = keyring.own()?.into_iter().filter(|other| other != key);
    lines.extend(retired.map(|key| format!("{} signed earlier runs", key.fingerprint())));
    let trusted = keyring.trusted()?.into_iter();
    lines.extend(trusted.map(|named| format!("{} is trusted as {}", named.key.fingerprint(), named.name)));
    Ok(lines.join("\n"))
}

impl Export {
    fn go(&self) -> Result<ExitCode, Trouble> {
        let surroundings = config::surroundings()?;
        let key = StartedSigner::begin(&surroundings, &HelperProgram::itself()?).signer()?.public();
        let name = origin(&surroundings).unwrap_or_else(|| "actum".to_owned());
        own::make_folders(&self.folder).map_err(Trouble::file(&self.folder))?;
        let files = [
            ("signer.pem", key.pem()),
            ("signer.vkey", key.note_key(&name)),
            ("signer.pub", key.ssh_line("actum")),
            ("allowed_signers", ssh::allowed_signer(&key)),
            ("signer.intoto.json", serde_json::to_string_pretty(&key.in_toto())?),
        ];
        for (file, text) in files {
            let path = self.folder.join(file);
            let text = format!("{}\n", text.trim_end());
            own::write(&path, text.as_bytes()).map_err(Trouble::file(&path))?;
        }
        screen::say(&format!("wrote {} to {} in five formats", key.fingerprint(), self.folder.display()));
        Ok(ExitCode::SUCCESS)
    }
}

impl Use {
    fn go(&self) -> Result<ExitCode, Trouble> {
        match self.which {
            Which::Own => change(|keyring, _| keyring.use_own()),
            Which::Agent => change(|keyring, surroundings| {
                let socket = surroundings.agent.as_deref();
                let socket = socket.ok_or_else(|| {
                    KeyError::Gone("SSH_AUTH_SOCK is not set, so no ssh-agent was found".to_owned())
                })?;
                keyring.use_agent(socket, self.key.as_deref())
            }),
        }
    }
}

/// Has another key sign, and says so in the log.
fn change(
    choose: impl FnOnce(&Keyring, &Surroundings) -> Result<PublicKey, KeyError>,
) -> Result<ExitCode, Trouble> {
    let surroundings = config::surroundings()?;
    let keyring = Keyring::at(&surroundings.keys);
    let before = keyring.public()?;
    let store = Store::at(&surroundings.store);
    // A log that the old key would not sign is none that another key should begin with.
    if store.ledger_file().exists() && before.is_some() {
        let mut signer = StartedSigner::begin(&surroundings, &HelperProgram::itself()?).signer()?;
        let ledger = Ledger::open(&store, clock::now())?;
        signer.seal(&ledger, &ledger.reader()?)?;
    }
    let key = choose(&keyring, &surroundings)?;
    if store.ledger_file().exists() {
        let mut signer = StartedSigner::begin(&surroundings, &HelperProgram::itself()?).signer()?;
        let ledger = Ledger::open(&store, clock::now())?;
        let before = before.map(|key| key.sha256());
        let changed = KeyChanged { v: 1, at: clock::now(), key: key.sha256(), before };
        ledger.append(&Entry::KeyChanged(changed))?.wait()?;
        signer.seal(&ledger, &ledger.reader()?)?;
    }
    screen::say(&format!("{} is the signing key from now on", key.fingerprint()));
    Ok(ExitCode::SUCCESS)
}

impl Trust {
    fn go(&self) -> Result<ExitCode, Trouble> {
        let name = named(&self.name)?;
        let key = PublicKey::given(&self.key)?;
        Keyring::at(&config::keys_folder()?).trust(name, &key)?;
        screen::say(&format!("{} is trusted as {name}", key.fingerprint()));
        Ok(ExitCode::SUCCESS)
    }
}

impl Distrust {
    fn go(&self) -> Result<ExitCode, Trouble> {
        let name = named(&self.name)?;
        let known = Keyring::at(&config::keys_folder()?).distrust(name)?;
        screen::say(&if known {
            format!("{name} is no longer trusted")
        } else {
            format!("{name} was not trusted")
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn forget() -> Result<ExitCode, Trouble> {
    let surroundings = config::surroundings()?;
    let origin = Reader::open(&Store::at(&surroundings.store))?.origin()?;
    Keyring::at(&surroundings.keys).forget(&origin)?;
    screen::say(&format!("the signatures for {origin} are forgotten; the next run signs the log as it is"));
    Ok(ExitCode::SUCCESS)
}

/// It becomes the name of a file.
fn named(name: &str) -> Result<&str, Trouble> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_name =
        !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.bytes().all(is_plain);
    if is_name { Ok(name) } else { Err(Trouble::Name { name: name.chars().take(60).collect() }) }
}

/// The name that the store's checkpoints carry, where there is a store.
fn origin(surroundings: &Surroundings) -> Option<String> {
    Reader::open(&Store::at(&surroundings.store)).and_then(|reader| reader.origin()).ok()
}
