//! Every number of the ranking in one place, each with its reason.

use index::Bm25;

/// What each part of a score is worth. All parts lie between 0 and 1 before they are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// How BM25 counts. `b` is high because short notes and long replies share one index.
    pub bm25: Bm25,
    /// Words in common, as the share of what the question could get. Comparable between questions.
    pub words: f32,
    /// Pairs of neighbouring words in common, as a share of the question's: a phrase, or a name of
    /// several words.
    pub pairs: f32,
    /// Words that say nearly the same, in place of a word of the question that the memory lacks and
    /// few hold.
    pub near_words: f32,
    /// Likeness in meaning, by cosine.
    pub meaning: f32,
    /// How much of the meaning is that of the best passage, in a memory that has several: one
    /// sentence of it may be all that was asked for.
    pub passage: f32,
    /// The best neighbour in the session: a short turn is often answered by the line before it.
    pub neighbour: f32,
    /// The best one a step further in the session: question, answer and thanks belong together.
    pub further: f32,
    /// The best memory of the same session: evidence comes in stretches.
    pub session: f32,
    /// The line before it, as far as that asks: what answers rarely says the words of the question
    /// again. Not when the owner asks, since an assistant's reply follows then.
    pub answers: f32,
    /// Opening a session, by what it gives itself: who begins to talk says what it is about, and
    /// later lines lean on that.
    pub opening: f32,
    /// A memory linked to a better one.
    pub linked: f32,
    /// A memory that speaks of what a better one speaks of, where few do: a person, a project, a
    /// file.
    pub related: f32,
    /// Lying in a time the question names. Soft: the time is misread often enough.
    pub time: f32,
    /// Lying on the side of an event that the question names. Less than a named time: which memory
    /// tells of the event is a guess, and half of all time lies before anything.
    pub event: f32,
    /// Belonging to the caller's project.
    pub project: f32,
    /// Being the owner's own words in a conversation, beside an assistant's long replies;
    /// not when the question asks for the replies.
    pub own_words: f32,
    /// What is taken from a memory that only asks: a question is like every other question, and
    /// answers none.
    pub asking: f32,
    /// Saying what the owner wants every time, when the question asks for something new: such a
    /// wish rarely shares a word with what it applies to.
    pub wishes: f32,
    /// What is taken from an answer whose words were covered by those above it. It changes the
    /// order of the first few alone.
    pub variety: f32,
    /// Being new, halved every [`Weights::RECENCY_DAYS`].
    pub recency: f32,
    /// Being important: the step from one priority to the next.
    pub priority: f32,
    /// Being believed, from outside (lowest) to typed by the owner.
    pub trust: f32,
    /// What a flag takes away: more than all else gives, so that flagged ones come last.
    pub flagged: f32,
    /// Under this much of words and meaning together the honest answer is "nothing".
    pub floor: f32,
    /// Whether the names of those who speak in the memory are left out of the question's meaning.
    pub leave_names_out: bool,
    /// How many candidates each search brings.
    pub pool: usize,
    /// How many of the best of them bring the lines around them along. What stands beside a weak
    /// one is weak too, and in a large memory looking at it would cost more than everything else.
    pub looked_around: usize,
}

impl Weights {
    /// After how many days newness counts half.
    pub const RECENCY_DAYS: f64 = 30.0;
    /// Which share of the memories are few, where a word is held by them: near words stand in for
    /// it then.
    pub const FEW_HOLD: f32 = 0.01;
    /// Up to how many words a memory may be a wish and nothing else; a longer one counts by its
    /// share.
    pub const WISH_WORDS: f32 = 40.0;
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            bm25: Bm25 { k1: 1.8, b: 0.8, field_weights: [1.2, 1.0, 0.8, 0.8], stop_weight: 0.1 },
            words: 0.6,
            pairs: 0.2,
            near_words: 0.4,
            meaning: 0.4,
            passage: 0.55,
            neighbour: 0.18,
            further: 0.04,
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
            variety: 0.9,
            recency: 0.005,
            priority: 0.01,
            trust: 0.03,
            flagged: 2.0,
            floor: 0.075,
            leave_names_out: true,
            pool: 200,
            looked_around: 100,
        }
    }
}
