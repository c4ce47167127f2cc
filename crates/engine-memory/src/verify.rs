//! Verify: does memory back a claim? By the words of the claim that current memories cover, with
//! the evidence. Likeness alone proves nothing: every name and number of the claim must be covered,
//! and a denial counts against.

use crate::Memories;
use crate::similar::shared_terms;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use model::{Failure, Memory, MemoryId, Permission, limits};
use std::collections::HashSet;

/// How many memories are held against a claim.
const COMPARED: usize = 24;
/// From this share of covered words on, one memory backs the claim.
const BACKED: f32 = 0.8;
/// From this share on, a memory counts as evidence at all.
const EVIDENCE: f32 = 0.4;
/// How many pieces of evidence are shown.
const SHOWN: usize = 8;

/// What memory says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// One memory covers it.
    Verified,
    /// Memories cover parts of it.
    Partial,
    /// A memory says otherwise.
    Contradicted,
    /// Nothing is known of it.
    Ungrounded,
}

impl Verdict {
    /// The name.
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

/// A memory that speaks for or against a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The memory.
    pub memory: Memory,
    /// The share of the claim's words it covers, 0 to 1.
    pub coverage: f32,
    /// The words it covers.
    pub covers: Vec<String>,
    /// Why it speaks against the claim.
    pub against: Option<String>,
}

/// What memory says of a claim, with the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// The verdict.
    pub verdict: Verdict,
    /// How sure, 0 to 1: the coverage, weighed with how far the evidence is believed.
    pub confidence: f32,
    /// The evidence, strongest first.
    pub evidence: Vec<Evidence>,
    /// The words of the claim that nothing covers.
    pub missing: Vec<String>,
}

/// A claim as words to be covered.
struct Claim<'c> {
    text: &'c str,
    terms: Vec<String>,
    /// Names and numbers: what a claim is usually wrong about.
    decisive: HashSet<String>,
}

impl Memories<'_> {
    /// Holds a claim against what is known now.
    ///
    /// # Errors
    /// When the claim is empty or too long.
    pub async fn verify(self, caller: &Caller, claim: &str) -> Result<Verification, Failure> {
        self.verify_from(caller, claim, EVIDENCE).await
    }

    /// Holds a claim against what is known now; a memory counts as evidence from this share of
    /// covered words on.
    ///
    /// # Errors
    /// When the claim is empty or too long, or the share does not lie between 0 and 1.
    pub async fn verify_from(
        self,
        caller: &Caller,
        claim: &str,
        least: f32,
    ) -> Result<Verification, Failure> {
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
        let near = self.core.near(&call, &request, COMPARED).await?;
        let verification = judge(&Claim::read(claim), near, least);
        let shown: Vec<MemoryId> =
            verification.evidence.iter().map(|piece| piece.memory.id).collect();
        call.note_shown(format!("verified: {}", verification.verdict.name()), &shown).await;
        Ok(verification)
    }
}

impl<'c> Claim<'c> {
    fn read(text: &'c str) -> Self {
        let terms = reading::content_terms(text);
        let capitalised: HashSet<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .skip(1)
            .filter(|word| word.starts_with(char::is_uppercase))
            .map(str::to_lowercase)
            .collect();
        let is_decisive = |term: &&String| {
            capitalised.contains(*term) || term.contains(|c: char| c.is_ascii_digit())
        };
        let decisive = terms.iter().filter(is_decisive).cloned().collect();
        Self { text, terms, decisive }
    }

    fn weigh(&self, memory: Memory) -> Evidence {
        let covers = shared_terms(&self.terms, &memory);
        let coverage = covers.len() as f32 / self.terms.len().max(1) as f32;
        let against = self.against(&memory, coverage);
        Evidence { memory, coverage, covers, against }
    }

    /// Why a memory speaks against the claim: it says otherwise, or only one of the two is a
    /// denial.
    fn against(&self, memory: &Memory, coverage: f32) -> Option<String> {
        if let Some(reason) = reading::contradicts(&memory.text, self.text) {
            return Some(reason.to_string());
        }
        let one_denies = reading::negated(self.text) != reading::negated(&memory.text);
        (one_denies && coverage >= BACKED).then(|| "one of the two is a denial".to_owned())
    }

    fn backed_by(&self, piece: &Evidence) -> bool {
        let decisive_covered = self.decisive.iter().all(|term| piece.covers.contains(term));
        piece.against.is_none() && piece.coverage >= BACKED && decisive_covered
    }
}

fn judge(claim: &Claim<'_>, near: Vec<Memory>, least: f32) -> Verification {
    let mut evidence: Vec<Evidence> = near.into_iter().map(|memory| claim.weigh(memory)).collect();
    evidence.retain(|piece| {
        !piece.covers.is_empty() && piece.coverage >= least || piece.against.is_some()
    });
    evidence
        .sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(b.memory.id.cmp(&a.memory.id)));
    evidence.truncate(SHOWN);
    let verdict = verdict(claim, &evidence);
    let speaks = |piece: &&Evidence| (verdict == Verdict::Contradicted) == piece.against.is_some();
    let confidence = evidence.iter().filter(speaks).map(strength).fold(0.0, f32::max);
    let covered = |term: &String| {
        evidence.iter().any(|piece| piece.against.is_none() && piece.covers.contains(term))
    };
    let missing = claim.terms.iter().filter(|term| !covered(term)).cloned().collect();
    Verification { verdict, confidence, evidence, missing }
}

fn verdict(claim: &Claim<'_>, evidence: &[Evidence]) -> Verdict {
    let best = |against: bool| {
        let pieces = evidence.iter().filter(|piece| piece.against.is_some() == against);
        pieces.map(strength).fold(0.0, f32::max)
    };
    if evidence.iter().any(|piece| claim.backed_by(piece)) && best(false) >= best(true) {
        Verdict::Verified
    } else if best(true) > 0.0 {
        Verdict::Contradicted
    } else if evidence.is_empty() {
        Verdict::Ungrounded
    } else {
        Verdict::Partial
    }
}

/// How much a piece of evidence weighs: what it covers, and how far it is believed.
fn strength(piece: &Evidence) -> f32 {
    let trust = f32::from(piece.memory.provenance.trust.0) / 100.0;
    piece.coverage * (0.5 + 0.25 * piece.memory.confidence + 0.25 * trust)
}
