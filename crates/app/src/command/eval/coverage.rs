//! Coverage at budget: the share of questions whose evidence is wholly in the answer within a
//! number of tokens, since text is what an agent pays for.

use super::abstention::{interval, percent};
use super::data::{DataSet, EvalQuery};
use super::eval_run::QuestionResult;
use crate::text_page::TextPage;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// Budgets in tokens.
pub(super) const BUDGETS: [usize; 3] = [500, 1_000, 1_500];
/// Minimum length of a word that counts as evidence; shorter ones are in any sentence.
const WORD_CHARS_MIN: usize = 4;

/// A document in the answer to a question.
#[derive(Debug)]
pub(super) struct ShownDocument {
    /// Index of the document.
    pub document: usize,
    /// Passage that is shown instead of the whole.
    pub excerpt: Option<String>,
}

/// The answer to a question within a budget.
#[derive(Debug)]
pub(super) struct BudgetedAnswer {
    pub shown: Vec<ShownDocument>,
    /// Tokens of the answer as an agent gets it, field names and hints included.
    pub tokens: usize,
}

/// Coverage of some questions.
#[derive(Debug, Default)]
struct CoverageCounts {
    asked: usize,
    covered: [usize; BUDGETS.len()],
    tokens: [usize; BUDGETS.len()],
}

/// Coverage on a data set.
#[derive(Debug)]
pub(super) struct CoverageReport {
    overall: CoverageCounts,
    categories: BTreeMap<String, CoverageCounts>,
}

impl CoverageReport {
    /// Counts the covered questions; `None` if no question was asked within a budget.
    pub fn new(data: &DataSet, results: &[QuestionResult]) -> Option<Self> {
        let mut overall = CoverageCounts::default();
        let mut categories: BTreeMap<String, CoverageCounts> = BTreeMap::new();
        for (query, result) in data.queries.iter().zip(results) {
            if query.gold.is_empty() || result.budgeted.is_empty() {
                continue;
            }
            let covered: Vec<bool> =
                result.budgeted.iter().map(|answer| is_covered(data, query, answer)).collect();
            for counts in [&mut overall, categories.entry(query.category.clone()).or_default()] {
                counts.add(&covered, &result.budgeted);
            }
        }
        (overall.asked > 0).then_some(Self { overall, categories })
    }

    /// Adds the table to a page.
    pub fn render(&self, page: &mut TextPage, by_category: bool) {
        let budgets = BUDGETS
            .iter()
            .flat_map(|tokens| [format!("at {tokens} %"), "95%".into(), "tokens".into()]);
        let mut rows = vec![["".to_owned(), "n".to_owned()].into_iter().chain(budgets).collect()];
        rows.push(self.overall.row("all"));
        if by_category {
            rows.extend(self.categories.iter().map(|(name, counts)| counts.row(name)));
        }
        page.heading("Coverage at budget").columns(&rows);
    }

    /// Renders the report as JSON.
    pub fn to_json(&self) -> Value {
        let categories: serde_json::Map<String, Value> =
            self.categories.iter().map(|(name, one)| (name.clone(), one.to_json())).collect();
        json!({ "all": self.overall.to_json(), "categories": categories })
    }
}

impl CoverageCounts {
    fn add(&mut self, covered: &[bool], answers: &[BudgetedAnswer]) {
        self.asked += 1;
        for (at, (covered, answer)) in covered.iter().zip(answers).enumerate() {
            self.covered[at] += usize::from(*covered);
            self.tokens[at] += answer.tokens;
        }
    }

    fn row(&self, name: &str) -> Vec<String> {
        let of = self.asked.max(1);
        let cells = self.covered.iter().zip(self.tokens).flat_map(|(&covered, tokens)| {
            [percent(covered, of), interval(covered, of), (tokens / of).to_string()]
        });
        [name.to_owned(), self.asked.to_string()].into_iter().chain(cells).collect()
    }

    fn to_json(&self) -> Value {
        let of = self.asked.max(1) as f64;
        let each = BUDGETS.iter().zip(self.covered.iter().zip(self.tokens));
        let budgets: serde_json::Map<String, Value> = each
            .map(|(budget, (covered, tokens))| {
                let value =
                    json!({ "covered": *covered as f64 / of, "tokens": tokens as f64 / of });
                (budget.to_string(), value)
            })
            .collect();
        json!({ "n": self.asked, "budgets": budgets })
    }
}

/// Returns true if the answer shows the evidence of every document that answers the question.
fn is_covered(data: &DataSet, query: &EvalQuery, answer: &BudgetedAnswer) -> bool {
    query.gold.iter().all(|gold| {
        let shown = answer.shown.iter().find(|one| data.documents[one.document].doc_id == *gold);
        shown.is_some_and(|one| match &one.excerpt {
            Some(passage) => passage.contains(evidence(&data.documents[one.document].text, query)),
            None => true,
        })
    })
}

/// Returns the sentence of a document that shares most words with the answer, then with the
/// question.
fn evidence<'t>(text: &'t str, query: &EvalQuery) -> &'t str {
    let answer = words_of(&query.answer.to_string());
    let question = words_of(&query.text);
    let shared = |sentence: &&str| {
        let words = words_of(sentence);
        2 * words.intersection(&answer).count() + words.intersection(&question).count()
    };
    let sentences = text.split(['.', '!', '?', '\n']).map(str::trim).filter(|one| !one.is_empty());
    // The first of equally good ones, as the documents state things early.
    let best = sentences.map(|sentence| (shared(&sentence), sentence));
    best.reduce(|best, next| if next.0 > best.0 { next } else { best }).map_or("", |best| best.1)
}

/// Returns the longer words of a text, in lower case.
pub(super) fn words_of(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= WORD_CHARS_MIN).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_evidence_is_the_sentence_with_the_words_of_the_answer() {
        let query: EvalQuery = serde_json::from_value(json!({
            "query_id": "q", "group": "g", "text": "When does the backup run?",
            "gold": ["d"], "answer": "at four in the morning",
        }))
        .unwrap();
        let text = "The backup is important. It starts at four every morning! Nobody watches.";
        assert_eq!(evidence(text, &query), "It starts at four every morning");
        assert_eq!(evidence("", &query), "");
    }
}
