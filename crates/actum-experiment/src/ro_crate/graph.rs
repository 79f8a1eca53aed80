//! The graph: the descriptor, the root, and everything that they name.

use super::{CrateFile, CrateInput, METADATA, PROFILE, action, entities};
use serde_json::{Value, json};

const CONTEXTS: [&str; 2] =
    ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"];

pub(super) fn build(input: CrateInput<'_>, files: &[CrateFile]) -> Value {
    let (license, license_entity) = entities::license(input.publication);
    let action = action::entities(input, files);
    let mut graph = vec![
        json!({
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": { "@id": "https://w3id.org/ro/crate/1.1" },
            "about": { "@id": "./" },
        }),
        root(input, files, &license, &action.id),
        json!({ "@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5" }),
        license_entity,
    ];
    graph.extend(entities::people(input.publication));
    graph.extend(action.entities);
    graph.extend(files.iter().map(|placed| entities::file(&input.sources[placed.source], placed)));
    json!({ "@context": CONTEXTS, "@graph": graph })
}

fn root(input: CrateInput<'_>, files: &[CrateFile], license: &str, action: &str) -> Value {
    let manifest = input.manifest;
    let outcome = input.result.map_or("no recorded end", |result| result.outcome.word());
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": entities::line(&format!("{} ({})", manifest.name, manifest.run.short())),
        "description": entities::line(&format!("One recorded run: {}. Outcome: {outcome}.", manifest.command.words.join(" "))),
        "identifier": manifest.run.to_string(),
        "datePublished": entities::time(input.publication.published_at),
        "license": { "@id": license },
        "conformsTo": { "@id": PROFILE },
        "author": { "@id": entities::AUTHOR },
        "publisher": { "@id": entities::ORGANIZATION },
        "mentions": { "@id": action },
    });
    if let Some(root) = root.as_object_mut() {
        let parts: Vec<String> = files.iter().map(|file| super::paths::address(&file.path)).collect();
        entities::put_references(root, "hasPart", &parts);
    }
    root
}
