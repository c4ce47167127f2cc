//! Analysis of a text: its mentions, the relations it states, and what it contradicts. Computed
//! while the embedder is busy on its own thread.

use super::draft::MemoryDraft;
use super::neighbours::Neighbours;
use super::plan_mentions::plan_mentions;
use super::read_mentions::read_mentions;
use super::request::RememberRequest;
use crate::relations::relations_in_row;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{Failure, Record};
use reading::{MentionKind, RelationStatement, TextMention};

/// Analysis of a draft.
pub(super) struct DraftAnalysis {
    pub neighbours: Neighbours,
    pub text: TextAnalysis,
}

impl DraftAnalysis {
    /// Analyzes a draft and the row that belongs to it.
    pub async fn analyze(
        call: &Call<'_>,
        input: &RememberRequest,
        draft: &MemoryDraft,
    ) -> Result<Self, Failure> {
        let mut text = TextAnalysis::analyze(&draft.memory.text).await?;
        if let Some(row) = &input.row {
            text.relations
                .extend(relations_in_row(&Record::normalize_table_name(&row.table)?, &row.data));
        }
        Ok(Self { neighbours: Neighbours::find(call, input, draft).await?, text })
    }
}

/// Mentions and stated relations of a text.
pub struct TextAnalysis {
    pub relations: Vec<RelationStatement>,
    mentions: Vec<TextMention>,
}

impl TextAnalysis {
    /// Analyzes a text.
    pub async fn analyze(text: &str) -> Result<Self, Failure> {
        let mentions = read_mentions(text).await?;
        Ok(Self { relations: stated_relations(text, &mentions), mentions })
    }

    /// Adds the mentions to the batch, except for names in stated relations, which are added with
    /// those, and for words of a title.
    pub fn plan_mentions(&self, plan: &mut BatchPlan, index: usize) {
        let unrelated = |mention: &&TextMention| {
            let is_bare = mention.kind == MentionKind::Name;
            !self.relations.iter().any(|relation| {
                relation.involves(&mention.name)
                    || (is_bare && relation.has_in_title(&mention.name))
            })
        };
        let mentions: Vec<TextMention> = self.mentions.iter().filter(unrelated).cloned().collect();
        plan_mentions(plan, &mentions, index);
    }
}

/// Returns the relations that a text states. A thing of unknown kind gets the kind of its mention.
fn stated_relations(text: &str, mentions: &[TextMention]) -> Vec<RelationStatement> {
    let mut relations = reading::relation_statements(text);
    for relation in relations.iter_mut().filter(|relation| relation.kind.is_none()) {
        let named = mentions.iter().find(|mention| mention.name == relation.object);
        let mentioned = named.filter(|mention| mention.kind != MentionKind::Name);
        relation.kind = mentioned.map(|mention| mention.kind.as_str());
    }
    relations
}
