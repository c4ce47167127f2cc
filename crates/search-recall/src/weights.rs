//! All constants of the ranking in one place, each with its reason. They were fitted on public
//! benchmarks; `docs/recall.md` has the measurements.

use index::Bm25;

/// Weight of each part of a score. All parts lie between 0 and 1 before weighting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankingWeights {
    /// BM25 parameters. `b` is high because short notes and long replies share one index.
    pub bm25: Bm25,
    /// BM25 as a share of the maximum for the query, so that queries can be compared.
    pub words: f32,
    /// Share of the query's bigrams: a phrase, or a name of several words.
    pub bigrams: f32,
    /// Near words in place of a rare query word that the memory lacks.
    pub near_words: f32,
    /// Vector similarity.
    pub meaning: f32,
    /// Share of the best passage in the vector similarity of a memory with several passages: one
    /// sentence may be all that was asked for.
    pub passage: f32,
    /// Best direct neighbour in the session: a short turn is often explained by the line before it.
    pub neighbour: f32,
    /// Best neighbour one step further: question, answer and thanks belong together.
    pub second_neighbour: f32,
    /// Best memory of the same session: evidence is often clustered.
    pub session: f32,
    /// Previous line, by the share of it that is a question: an answer rarely repeats the words of
    /// its question. Not after a question by the owner, which an assistant answers.
    pub answers: f32,
    /// First line of a session, as a share of its own score: it names the subject that later lines
    /// take for granted.
    pub opening: f32,
    /// Link to a better memory.
    pub linked: f32,
    /// Rarely mentioned entity in common with a better memory: a person, a project, a file.
    pub related: f32,
    /// Time that the query names. A soft bonus, because times are often misread.
    pub time: f32,
    /// Named side of an event. Less than a named time: the memory that describes the event is a
    /// guess, and half of all memories are before anything.
    pub event: f32,
    /// Project of the caller.
    pub project: f32,
    /// The owner's own words in a conversation, against an assistant's long replies; not when the
    /// query asks for the replies.
    pub own_words: f32,
    /// Penalty for a memory that only asks: a question resembles every other question and answers
    /// none.
    pub asking: f32,
    /// Permanent preference of the owner, when the query asks for something new: a preference
    /// rarely shares a word with the situation it applies to.
    pub wishes: f32,
    /// Penalty for query terms that the results above cover already. Only changes the order of the
    /// first results.
    pub diversity: f32,
    /// Recency, halved every [`RankingWeights::RECENCY_DAYS`].
    pub recency: f32,
    /// Step from one priority to the next.
    pub priority: f32,
    /// Trust, from outside sources (lowest) to text typed by the owner.
    pub trust: f32,
    /// Penalty for a flag: more than all other parts together, so that flagged memories come last.
    pub flagged: f32,
    /// Minimum of own score and context; below it the honest answer is "nothing".
    pub floor: f32,
    /// Removes the names of speakers from the query before it is embedded.
    pub ignore_speaker_names: bool,
    /// Corrects words of the query that no memory contains.
    pub correct_spelling: bool,
    /// Number of candidates from the lexical and from the vector search.
    pub candidates_per_search: usize,
    /// Number of best candidates whose session neighbours become candidates too. Neighbours of a
    /// weak candidate are weak, and in a large memory they would cost more than everything else.
    pub neighbour_seeds: usize,
}

impl RankingWeights {
    /// Half-life of recency in days.
    pub const RECENCY_DAYS: f64 = 30.0;
    /// Share of memories up to which a word is rare, so that near words may replace it.
    pub const RARE_TERM_SHARE: f32 = 0.01;
    /// Length in words up to which a preference counts fully; a longer memory counts in proportion.
    pub const WISH_WORDS: f32 = 40.0;
}

impl Default for RankingWeights {
    fn default() -> Self {
        Self {
            bm25: Bm25::PRODUCTION,
            words: 0.6,
            bigrams: 0.2,
            near_words: 0.4,
            meaning: 0.4,
            passage: 0.55,
            neighbour: 0.18,
            second_neighbour: 0.04,
            session: 0.28,
            answers: 0.35,
            opening: 0.15,
            linked: 0.05,
            related: 0.08,
            time: 0.12,
            event: 0.03,
            project: 0.05,
            own_words: 0.22,
            asking: 0.07,
            wishes: 0.14,
            diversity: 0.9,
            recency: 0.005,
            priority: 0.01,
            trust: 0.03,
            flagged: 2.0,
            floor: 0.075,
            ignore_speaker_names: true,
            correct_spelling: true,
            candidates_per_search: 200,
            neighbour_seeds: 100,
        }
    }
}
