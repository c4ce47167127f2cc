//! Adds the mentions of a text to a batch.

use engine_core::plan::BatchPlan;
use model::{JsonMap, NewEntity};
use reading::TextMention;
use store::{Change, NewMention, Ref};

// A name found by pattern matching is less certain than one that a caller states.
const CONFIDENCE: f32 = 0.5;

/// Adds the mentions of the memory at `index`.
pub(super) fn plan_mentions(plan: &mut BatchPlan, mentions: &[TextMention], index: usize) {
    for mention in mentions {
        let kind = mention.kind.as_str().to_owned();
        let entity = plan.push(Change::PutEntity(NewEntity {
            kind: Some(kind.clone()),
            name: mention.name.clone(),
            properties: JsonMap::new(),
            confidence: CONFIDENCE,
        }));
        plan.push(Change::Mention(NewMention {
            memory: Ref::ResultOf(index),
            entity: Ref::ResultOf(entity),
            kind,
            name: mention.name.clone(),
            source: mention.source.as_str().to_owned(),
            path: mention.path.clone(),
        }));
    }
}
