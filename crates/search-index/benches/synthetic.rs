//! Synthetic memories: words with a Zipf distribution and real stop words as the most frequent
//! ones, clustered vectors, links along the sessions. Deterministic, so that runs can be compared.

use model::{LinkKind, MemoryId, Moment, SessionId, StoredVectors, VectorModel};
use quipu_index::{DocFacts, IndexEntry, IndexField, OutgoingLink};

pub(crate) const DIMENSIONS: usize = 256;
const VOCABULARY: usize = 50_000;
const STOP_WORDS: &str = "the of and to a in is it that for was on with as be at by this have \
    from or had not are but what all were when we there can an your which their if do will each \
    about how up out them then she many some so these would other into has more her two him time \
    could no make than been its who now did my made over";
const PROJECTS: [&str; 10] = [
    "project-0",
    "project-1",
    "project-2",
    "project-3",
    "project-4",
    "project-5",
    "project-6",
    "project-7",
    "project-8",
    "project-9",
];

/// Texts and vectors of the memories.
pub(crate) struct SyntheticMemories {
    pub(crate) texts: Vec<String>,
    pub(crate) vectors: Vec<StoredVectors>,
    words: Vec<String>,
    centres: Vec<Vec<f32>>,
}

impl SyntheticMemories {
    pub(crate) fn new(size: usize) -> Self {
        let words = vocabulary();
        let mut rng = SyntheticRng(42);
        let text = |rng: &mut SyntheticRng| {
            let count = 30 + rng.below(21);
            (0..count).map(|_| rng.zipf_word(&words)).collect::<Vec<&str>>().join(" ")
        };
        let texts = (0..size).map(|_| text(&mut rng)).collect();
        let centres: Vec<Vec<f32>> = (0..1_000).map(|_| rng.vector()).collect();
        let vectors = (0..size).map(|_| {
            let centre = rng.below(centres.len());
            quantise(&rng.near_vector(&centres[centre], 0.8))
        });
        Self { texts, vectors: vectors.collect(), words, centres }
    }

    pub(crate) fn model(&self) -> VectorModel {
        VectorModel { id: "synthetic".into(), dimensions: DIMENSIONS }
    }

    pub(crate) fn entry(&self, nth: usize) -> IndexEntry<'_> {
        let id = nth as i64 + 1;
        let facts = DocFacts {
            project: Some(PROJECTS[nth % 10]),
            session: Some(SessionId(id / 20)),
            agent: "bench",
            ..DocFacts::note(MemoryId(id), Moment(id * 1_000_000))
        };
        let link = |back: usize, kind| {
            (nth >= back).then(|| OutgoingLink {
                target: MemoryId(id - back as i64),
                kind,
                weight: 0.5,
            })
        };
        let far = 1 + nth.wrapping_mul(31) % 997;
        IndexEntry {
            texts: vec![(IndexField::Text, &self.texts[nth])],
            tags: vec!["synthetic", PROJECTS[nth % 7]],
            entities: vec![model::EntityId(nth as i64 % 500)],
            links: [link(1, LinkKind::TemporalNext), link(far, LinkKind::RelatedTo)]
                .into_iter()
                .flatten()
                .collect(),
            vector: Some(&self.vectors[nth]),
            ..IndexEntry::new(facts)
        }
    }

    /// Returns a natural question: stop words and a few words of one memory.
    pub(crate) fn question(&self, nth: usize) -> String {
        let mut rng = SyntheticRng(900 + nth as u64);
        let text: Vec<&str> = self.texts[rng.below(self.texts.len())].split(' ').collect();
        let rare = |rng: &mut SyntheticRng| {
            let words: Vec<&&str> =
                text.iter().filter(|word| !STOP_WORDS.contains(**word)).collect();
            words.get(rng.below(words.len().max(1))).map_or("", |word| **word)
        };
        let word = self.words[100 + rng.below(2_000)].as_str();
        format!(
            "what did we say about the {} and {} when it was {word} {}",
            rare(&mut rng),
            rare(&mut rng),
            rare(&mut rng)
        )
    }

    pub(crate) fn query_vector(&self, nth: usize) -> Vec<f32> {
        SyntheticRng(5_000 + nth as u64)
            .near_vector(&self.centres[nth * 17 % self.centres.len()], 0.6)
    }
}

/// Returns the stop words, followed by words of syllables, frequent ones short.
fn vocabulary() -> Vec<String> {
    const SYLLABLES: [&str; 20] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu",
        "va", "we", "xi", "yo", "zu",
    ];
    let word_of = |mut number: usize| {
        let mut word = String::new();
        while number > 0 {
            word.push_str(SYLLABLES[number % 20]);
            number /= 20;
        }
        word
    };
    let stop_words = STOP_WORDS.split_whitespace().map(String::from);
    stop_words.chain((400..).map(word_of)).take(VOCABULARY).collect()
}

fn quantise(values: &[f32]) -> StoredVectors {
    let most = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let codes = values.iter().map(|value| (value / most * 127.0).round() as i8 as u8);
    let windows = (most / 127.0).to_le_bytes().into_iter().chain(codes).collect();
    StoredVectors {
        model: VectorModel { id: "synthetic".into(), dimensions: DIMENSIONS },
        data: windows,
    }
}

/// Deterministic pseudo-random numbers: a linear congruential generator with a mixed output.
struct SyntheticRng(u64);

impl SyntheticRng {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 ^ self.0 >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11) as f64
            / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.uniform() * end as f64) as usize
    }

    /// Returns a word with a Zipf distribution.
    fn zipf_word<'w>(&mut self, words: &'w [String]) -> &'w str {
        let rank = (words.len() as f64).powf(self.uniform()) as usize - 1;
        &words[rank.min(words.len() - 1)]
    }

    fn vector(&mut self) -> Vec<f32> {
        let mut noise = |at: usize| {
            let noise = (0..4).map(|_| self.uniform()).sum::<f64>() - 2.0;
            noise as f32 / (1.0 + at as f32 / 64.0)
        };
        (0..DIMENSIONS).map(&mut noise).collect()
    }

    fn near_vector(&mut self, centre: &[f32], spread: f32) -> Vec<f32> {
        self.vector().iter().zip(centre).map(|(noise, value)| value + spread * noise).collect()
    }
}
