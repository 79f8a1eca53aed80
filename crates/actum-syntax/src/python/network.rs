//! Other machines that a program speaks to.

use super::call::Call;
use crate::text::beginning;
use actum_model::{NetworkUse, Reading, Sign};

/// More are not listed.
const MOST: usize = 50;

/// Modules that are imported to speak to other machines.
const MODULES: [&str; 47] = [
    "requests",
    "httpx",
    "aiohttp",
    "urllib.request",
    "urllib2",
    "urllib3",
    "http.client",
    "httplib",
    "httplib2",
    "socket",
    "ftplib",
    "smtplib",
    "imaplib",
    "poplib",
    "telnetlib",
    "paramiko",
    "openai",
    "anthropic",
    "boto3",
    "botocore",
    "selenium",
    "playwright",
    "websocket",
    "websockets",
    "tweepy",
    "praw",
    "wikipedia",
    "yfinance",
    "pandas_datareader",
    "pymongo",
    "redis",
    "psycopg2",
    "psycopg",
    "pymysql",
    "MySQLdb",
    "mysql.connector",
    "kafka",
    "pika",
    "grpc",
    "telegram",
    "discord",
    "slack_sdk",
    "huggingface_hub",
    "google.cloud",
    "azure",
    "scrapy",
    "mechanize",
];

/// Calls that fetch data from where it is published.
fn fetches(call: &Call<'_>) -> bool {
    let name = call.imported();
    let downloads = call
        .keyword("download")
        .and_then(|value| value.as_boolean_literal_expr())
        .is_some_and(|value| value.value);
    name.starts_with("sklearn.datasets.fetch_")
        || (name.starts_with("torchvision.datasets.") && downloads)
        || name == "nltk.download"
        || name == "seaborn.load_dataset"
        || name == "datasets.load_dataset"
        || name == "torch.hub.load"
        || name.starts_with("gensim.downloader.")
        || (name.contains("keras.datasets.") && name.ends_with("load_data"))
        || name.ends_with(".from_pretrained")
        || name == "transformers.pipeline"
        || name.starts_with("urllib.request.")
        || name.starts_with("socket.create_connection")
}

pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    let reads_address = call.text(0).is_some_and(|text| host(&text).is_some())
        && (call.imported().starts_with("pandas.read_") || call.imported() == "urllib.urlopen");
    if fetches(call) || reads_address {
        sign(Sign { what: call.shown(), line: call.line }, reading);
    }
}

/// Keeps the host of a text that is an address.
pub(super) fn of_text(text: &str, reading: &mut Reading) {
    let Some(host) = host(text) else { return };
    let network = reading.network.get_or_insert_with(NetworkUse::default);
    if !network.hosts.contains(&host) && network.hosts.len() < MOST {
        network.hosts.push(host);
    }
}

/// Adds what the imports say. Addresses in a program that speaks to nobody are only text.
pub(super) fn finish(reading: &mut Reading) {
    let is_network = |module: &str| {
        MODULES.iter().any(|known| {
            module.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    };
    let imports: Vec<Sign> = reading
        .imports
        .iter()
        .filter(|import| {
            let taken = |name: &String| is_network(&format!("{}.{name}", import.module));
            is_network(&import.module) || import.names.iter().any(taken)
        })
        .map(|import| Sign { what: import.module.clone(), line: import.line })
        .collect();
    imports.into_iter().for_each(|one| sign(one, reading));
    if reading.network.as_ref().is_some_and(|network| network.signs.is_empty()) {
        reading.network = None;
    }
}

fn sign(sign: Sign, reading: &mut Reading) {
    let network = reading.network.get_or_insert_with(NetworkUse::default);
    let is_new = network.signs.iter().all(|known| known.what != sign.what);
    if is_new && network.signs.len() < MOST {
        network.signs.push(sign);
    }
}

/// The host of an address, with its port where one stands there.
pub(crate) fn host(text: &str) -> Option<String> {
    const SCHEMES: [&str; 11] =
        ["http", "https", "ws", "wss", "ftp", "postgresql", "postgres", "mysql", "mongodb", "redis", "amqp"];
    let (scheme, rest) = text.split_once("://")?;
    if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    let host = rest.split(['/', '?', '#', '"', '\'', ' ', '\\']).next()?;
    let host = host.rsplit('@').next()?;
    let is_letter =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | ':' | '_' | '[' | ']');
    let is_host = !host.is_empty() && host.chars().all(is_letter) && host.len() <= 253;
    is_host.then(|| beginning(&host.to_ascii_lowercase(), 253).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_addresses() {
        let cases = [
            ("https://api.example.com/v1?x=1", Some("api.example.com")),
            ("http://localhost:8000", Some("localhost:8000")),
            ("postgresql://me:secret@db.example.com:5432/x", Some("db.example.com:5432")),
            ("HTTPS://Example.com", Some("example.com")),
            ("https://", None),
            ("file:///etc/passwd", None),
            ("no address", None),
            ("https://{host}/x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(host(text).as_deref(), expected, "{text}");
        }
    }
}
