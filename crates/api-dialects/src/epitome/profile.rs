//! The profile: merged field by field, with every version kept. A change by a weaker source than
//! the one that set a field waits for the owner's review.

use super::render;
use super::source_ref::SourceRef;
use engine::profile::{PatchProfileOutcome, PatchProfileRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, ProfileVersion};
use serde_json::{Value, json};

/// Merges a patch into the profile and renders the result.
pub(super) async fn update(
    engine: &Engine,
    caller: &Caller,
    patch: JsonMap,
    reason: Option<String>,
) -> Result<(PatchProfileOutcome, JsonMap), Failure> {
    let changed = engine.profile().patch(caller, &PatchProfileRequest { patch, reason }).await?;
    // A caller may be granted to write the profile but not to read it. It then learns what it
    // changed, and no more.
    let current = engine.profile().get(caller).await.ok().flatten();
    let answer = render_result(&changed, current.as_ref());
    Ok((changed, answer))
}

fn render_result(changed: &PatchProfileOutcome, current: Option<&ProfileVersion>) -> JsonMap {
    let mut answer = JsonMap::from_iter([
        ("success".to_owned(), Value::Bool(true)),
        ("profile".to_owned(), render_profile(changed, current)),
        ("sourceRef".to_owned(), SourceRef::Version(changed.version).to_string().into()),
        ("writeId".to_owned(), format!("profile-v{}", changed.version).into()),
    ]);
    let waits = changed.changed.is_empty() && !changed.withheld.is_empty();
    answer.insert("writeStatus".into(), if waits { "pending_review" } else { "accepted" }.into());
    render::insert_non_empty(&mut answer, "withheldFields", render::texts(&changed.withheld));
    render::insert_some(&mut answer, "reviewId", changed.review.map(|review| review.0.into()));
    answer.insert("message".into(), message(changed).into());
    render::insert_non_empty(&mut answer, "warnings", render::texts(&changed.notes));
    answer
}

fn render_profile(changed: &PatchProfileOutcome, current: Option<&ProfileVersion>) -> Value {
    let data = current.map(|version| Value::Object(version.data.clone()));
    json!({
        "id": changed.version,
        "data": data,
        "version": changed.version,
        "changedBy": current.map(|version| version.provenance.author.agent.as_str()),
        "changedFields": changed.changed,
        "changedAt": current.map(|version| render::time(version.provenance.at)),
        "metaId": changed.review.map(|review| review.0),
    })
}

fn message(changed: &PatchProfileOutcome) -> String {
    let done = match changed.changed.as_slice() {
        [] => "nothing in the profile changed".to_owned(),
        fields => format!("profile updated: {}", fields.join(", ")),
    };
    match changed.withheld.as_slice() {
        [] => done,
        fields => {
            format!("{done}; {} needs the owner's approval and waits in review", fields.join(", "))
        }
    }
}
