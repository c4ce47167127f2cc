//! Analysis of a text: its mentions, the relations it states, and what it contradicts. Computed
//! while the embedder is busy on its own thread.

use super::conflicts::{Rival, find_rivals};
use super::draft::Draft;
use super::input::Remember;
use super::mentioned::mentioned;
use super::mentions::plan_mentions;
use crate::knots::ties_in_row;
use engine_core::call::Call;
use engine_core::plan::Plan;
use model::{Failure, Record};
use reading::{Mention, MentionKind, Tie};

/// Analysis of a draft.
pub(super) struct Found {
    pub rivals: Vec<Rival>,
    pub told: Told,
}

impl Found {
    /// Analyzes a draft and the row that belongs to it.
    pub async fn read(call: &Call<'_>, input: &Remember, draft: &Draft) -> Result<Self, Failure> {
        let mut told = Told::read(&draft.memory.text).await?;
        if let Some(row) = &input.row {
            told.ties.extend(ties_in_row(&Record::table_name(&row.table)?, &row.data));
        }
        Ok(Self { rivals: find_rivals(call, draft).await?, told })
    }
}

/// Mentions and stated relations of a text.
pub struct Told {
    pub ties: Vec<Tie>,
    mentions: Vec<Mention>,
}

impl Told {
    /// Analyzes a text.
    pub async fn read(text: &str) -> Result<Self, Failure> {
        let mentions = mentioned(text).await?;
        Ok(Self { ties: ties(text, &mentions), mentions })
    }

    /// Adds the mentions to the batch, except for names in stated relations, which are added with
    /// those.
    pub fn plan_mentions(&self, plan: &mut Plan, place: usize) {
        let untied = |mention: &&Mention| !self.ties.iter().any(|tie| tie.names(&mention.name));
        let mentions: Vec<Mention> = self.mentions.iter().filter(untied).cloned().collect();
        plan_mentions(plan, &mentions, place);
    }
}

/// Returns the relations that a text states. A thing of unknown kind gets the kind of its mention.
fn ties(text: &str, mentions: &[Mention]) -> Vec<Tie> {
    let mut ties = reading::ties(text);
    for tie in ties.iter_mut().filter(|tie| tie.kind.is_none()) {
        let named = mentions.iter().find(|mention| mention.name == tie.object);
        let told = named.filter(|mention| mention.kind != MentionKind::Name);
        tie.kind = told.map(|mention| mention.kind.as_str());
    }
    ties
}
