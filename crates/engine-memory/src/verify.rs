//! Verification of a claim against memory, by the share of its words that current memories cover,
//! with the evidence. Text that is derived from memories is no evidence; its sources are.
//! Similarity alone proves nothing: every name and number of the claim must be covered, and a
//! negation counts against it.

use crate::Memories;
use crate::similar::shared_terms;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::{is_extract, sources_of};
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use index::StatusFilter;
use model::{Failure, Memory, MemoryId, Permission, limits};
use reading::{ParsedText, StatementRelation as R};
use std::collections::{BTreeSet, HashSet};

/// Number of memories compared with a claim.
const COMPARED: usize = 24;
/// Number of sources that are compared in place of derived texts, newest first.
const SOURCES_MAX: usize = 50;
/// Share of covered words from which one memory backs a claim: one word in five may differ.
const BACKED_FROM: f32 = 0.8;
/// Share of covered words from which a memory counts as evidence.
const EVIDENCE_FROM: f32 = 0.4;
/// Share of covered words from which a memory is compared with the claim as a statement.
const COMPARED_FROM: f32 = 0.3;
/// Number of pieces of evidence in the result.
const SHOWN: usize = 8;

/// Verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimVerdict {
    /// One memory covers it.
    Verified,
    /// Memories cover parts of it.
    Partial,
    /// A memory says otherwise.
    Contradicted,
    /// No memory is about it.
    Ungrounded,
}

impl ClaimVerdict {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partial => "partial",
            Self::Contradicted => "contradicted",
            Self::Ungrounded => "ungrounded",
        }
    }
}

/// A memory that supports or contradicts a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub memory: Memory,
    /// Share of the claim's words that it covers, 0 to 1.
    pub coverage: f32,
    /// Words that it covers.
    pub covers: Vec<String>,
    /// Reason why it contradicts the claim.
    pub against: Option<String>,
}

/// Result of verifying a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    pub verdict: ClaimVerdict,
    /// Coverage weighted with the trust in the evidence, 0 to 1.
    pub confidence: f32,
    /// Strongest first.
    pub evidence: Vec<Evidence>,
    /// Words of the claim that nothing covers.
    pub missing: Vec<String>,
}

/// A claim split into words.
struct ParsedClaim<'c> {
    text: &'c str,
    statement: ParsedText<'c>,
    denies: bool,
    terms: Vec<String>,
    /// Names and numbers, which a claim is usually wrong about.
    decisive: HashSet<String>,
}

impl<'e> Memories<'e> {
    /// Verifies a claim against current memories.
    ///
    /// # Errors
    /// Fails when the claim is empty or too long.
    pub fn verify(self, caller: &'e Caller, claim: &'e str) -> UseCaseFuture<'e, Verification> {
        Box::pin(async move { self.verify_with_threshold(caller, claim, EVIDENCE_FROM).await })
    }

    /// Verifies a claim; a memory counts as evidence from the share `least` of covered words.
    ///
    /// # Errors
    /// Fails when the claim is empty or too long, or the share is outside of 0 to 1.
    pub fn verify_with_threshold(
        self,
        caller: &'e Caller,
        claim: &'e str,
        least: f32,
    ) -> UseCaseFuture<'e, Verification> {
        Box::pin(async move {
            limits::range("coverage", f64::from(least), 0.0, 1.0)?;
            limits::bytes("claim", claim, limits::QUERY_BYTES)?;
            if claim.trim().is_empty() {
                return Err(Failure::invalid(
                    "the claim is empty; give a sentence, such as `the API runs on port 8080`",
                ));
            }
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &claim)
                    .await?;
            let request = SearchRequest::new(&call, claim, SearchModes::default())?;
            let near = self.core.nearest_memories(&call, &request, COMPARED).await?;
            let near = with_sources(&call, near).await?;
            let verification = judge(&ParsedClaim::parse(claim), near, least);
            let shown: Vec<MemoryId> =
                verification.evidence.iter().map(|piece| piece.memory.id).collect();
            call.note_shown(format!("verified: {}", verification.verdict.name()), &shown).await;
            Ok(verification)
        })
    }
}

/// Replaces derived texts by what they were made from: a quote proves no more than its source, and
/// it would count twice.
async fn with_sources(call: &Call<'_>, near: Vec<Memory>) -> Result<Vec<Memory>, Failure> {
    let (extracts, mut near): (Vec<Memory>, Vec<Memory>) = near.into_iter().partition(is_extract);
    if extracts.is_empty() {
        return Ok(near);
    }
    let view = call.view().await?;
    let sources: BTreeSet<MemoryId> = view
        .read(|view| extracts.iter().flat_map(|extract| sources_of(view, extract.id)).collect());
    let known: HashSet<MemoryId> = near.iter().map(|memory| memory.id).collect();
    let missing = sources.into_iter().rev().filter(|id| !known.contains(id));
    let missing: Vec<MemoryId> = missing.take(SOURCES_MAX).collect();
    near.extend(call.core.still_current(call, &missing, &StatusFilter::Current).await?);
    Ok(near)
}

impl<'c> ParsedClaim<'c> {
    fn parse(text: &'c str) -> Self {
        let terms = reading::search_terms(text);
        let capitalised: HashSet<String> = text
            .split(|c: char| !c.is_alphanumeric())
            // The first word of a sentence is capitalized anyway.
            .skip(1)
            .filter(|word| word.starts_with(char::is_uppercase))
            .map(str::to_lowercase)
            .collect();
        let is_decisive = |term: &&String| {
            capitalised.contains(*term) || term.contains(|c: char| c.is_ascii_digit())
        };
        let decisive = terms.iter().filter(is_decisive).cloned().collect();
        let (statement, denies) = (ParsedText::new(text), reading::has_negation(text));
        Self { text, statement, denies, terms, decisive }
    }

    fn weigh(&self, memory: Memory) -> Evidence {
        let covers = shared_terms(&self.terms, &memory);
        let coverage = covers.len() as f32 / self.terms.len().max(1) as f32;
        Evidence { memory, coverage, covers, against: None }
    }

    /// Compares a memory with the claim as a statement. Returns it if it is evidence for the claim,
    /// from the share `least` of covered words on, or against it.
    fn examine(&self, mut piece: Evidence, least: f32) -> Option<Evidence> {
        // A memory that says otherwise is about the same: it shares most of the words.
        if piece.coverage >= COMPARED_FROM {
            piece.against = self.against(&piece.memory, piece.coverage);
        }
        let supports = !piece.covers.is_empty() && piece.coverage >= least;
        (supports || piece.against.is_some()).then_some(piece)
    }

    /// Returns the reason why a memory contradicts the claim: it says otherwise, or one of the two
    /// is a negation.
    fn against(&self, memory: &Memory, coverage: f32) -> Option<String> {
        let statement = memory.titled_text();
        let found = self.statement.compare_with_earlier(&statement);
        if matches!(found.relation, R::Opposite | R::ChangedValue | R::Reversed) {
            return Some(found.describe(&statement, self.text));
        }
        let one_denies = || self.denies != reading::has_negation(&memory.text);
        (coverage >= BACKED_FROM && one_denies()).then(|| "one of the two is a negation".to_owned())
    }

    fn backed_by(&self, piece: &Evidence) -> bool {
        let decisive_covered = self.decisive.iter().all(|term| piece.covers.contains(term));
        piece.against.is_none() && piece.coverage >= BACKED_FROM && decisive_covered
    }
}

fn judge(claim: &ParsedClaim<'_>, near: Vec<Memory>, least: f32) -> Verification {
    let mut near: Vec<Evidence> = near.into_iter().map(|memory| claim.weigh(memory)).collect();
    near.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(b.memory.id.cmp(&a.memory.id)));
    // Cut before judging: the verdict rests on the evidence that the caller sees. To compare two
    // texts as statements costs far more than to count their words, so no more are compared.
    let examined = near.into_iter().filter_map(|piece| claim.examine(piece, least));
    let evidence: Vec<Evidence> = examined.take(SHOWN).collect();
    let verdict = verdict(claim, &evidence);
    let speaks =
        |piece: &&Evidence| (verdict == ClaimVerdict::Contradicted) == piece.against.is_some();
    let confidence = evidence.iter().filter(speaks).map(strength).fold(0.0, f32::max);
    let covered = |term: &String| {
        evidence.iter().any(|piece| piece.against.is_none() && piece.covers.contains(term))
    };
    let missing = claim.terms.iter().filter(|term| !covered(term)).cloned().collect();
    Verification { verdict, confidence, evidence, missing }
}

fn verdict(claim: &ParsedClaim<'_>, evidence: &[Evidence]) -> ClaimVerdict {
    let best = |against: bool| {
        let pieces = evidence.iter().filter(|piece| piece.against.is_some() == against);
        pieces.map(strength).fold(0.0, f32::max)
    };
    // A memory that backs the claim wins only if nothing stronger contradicts it.
    if evidence.iter().any(|piece| claim.backed_by(piece)) && best(false) >= best(true) {
        ClaimVerdict::Verified
    } else if best(true) > 0.0 {
        ClaimVerdict::Contradicted
    } else if evidence.is_empty() {
        ClaimVerdict::Ungrounded
    } else {
        ClaimVerdict::Partial
    }
}

/// Returns the weight of a piece of evidence: its coverage and the trust in it.
fn strength(piece: &Evidence) -> f32 {
    let trust = f32::from(piece.memory.provenance.trust.0) / 100.0;
    piece.coverage * (0.5 + 0.25 * piece.memory.confidence + 0.25 * trust)
}
