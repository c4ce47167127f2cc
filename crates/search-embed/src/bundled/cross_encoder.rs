//! The cross-encoder inside the binary: quipu-compare-1, which reads two short texts together and
//! tells how likely the later one gives another value to what the earlier one states. It shares the
//! token embeddings and the kernels of the embedder, and has layers of its own.

use super::forward::ForwardPass;
use super::kernel::Kernel;
use super::layout::{PAIR_FEATURES, PAIR_HIDDEN, RELATIONS, WIDTH};
use super::tokenizer::tokenize;
use super::weights::{hidden_unit, relation_unit, role_row, write_token_row};

/// Maximum number of tokens of a text in a pair. Longer texts say more than one thing, and none of
/// them was seen in training.
pub const PAIR_TOKENS_MAX: usize = 48;

/// Index of the relation of a changed value among those of the model.
const CHANGED_VALUE: usize = 2;

/// An earlier and a later text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPair {
    pub earlier: String,
    pub later: String,
}

/// Network that reads two texts together.
#[derive(Debug, Clone)]
pub struct CrossEncoder {
    kernel: Kernel,
}

impl CrossEncoder {
    /// Creates the cross-encoder with the fastest kernel for this processor. Costs next to nothing.
    pub fn new() -> Self {
        Self::with_kernel(Kernel::best())
    }

    /// Creates the cross-encoder with a given kernel, for comparisons.
    pub fn with_kernel(kernel: Kernel) -> Self {
        Self { kernel }
    }

    /// Returns for each pair the probability that the later text gives another value to what the
    /// earlier one states; `None` if a text is empty or longer than [`PAIR_TOKENS_MAX`].
    pub fn change_probabilities(&self, pairs: &[TextPair]) -> Vec<Option<f32>> {
        let tokens: Vec<Option<PairTokens>> = pairs.iter().map(PairTokens::read).collect();
        let readable: Vec<&PairTokens> = tokens.iter().flatten().collect();
        if readable.is_empty() {
            return vec![None; pairs.len()];
        }
        let lengths: Vec<[usize; 2]> = readable.iter().map(|pair| pair.lengths()).collect();
        let rows = readable.iter().flat_map(|pair| pair.rows());
        let mut pass = ForwardPass::over_pairs(&lengths, rows);
        self.kernel.run(&mut pass);
        let mut means = pass.means().as_chunks::<2>().0.iter();
        let estimate =
            |pair: &Option<PairTokens>| pair.as_ref().and_then(|_| means.next()).map(changed_value);
        tokens.iter().map(estimate).collect()
    }
}

impl Default for CrossEncoder {
    fn default() -> Self {
        Self::new()
    }
}

/// Token ids of both texts.
struct PairTokens {
    earlier: Vec<u32>,
    later: Vec<u32>,
}

impl PairTokens {
    fn read(pair: &TextPair) -> Option<Self> {
        let (earlier, later) = (tokenize(&pair.earlier), tokenize(&pair.later));
        let fits = |ids: &[u32]| (1..=PAIR_TOKENS_MAX).contains(&ids.len());
        (fits(&earlier) && fits(&later)).then_some(Self { earlier, later })
    }

    fn lengths(&self) -> [usize; 2] {
        [self.earlier.len(), self.later.len()]
    }

    /// Iterates over the input rows: embedding and position as for one text, and the role.
    fn rows(&self) -> impl Iterator<Item = [f32; WIDTH]> {
        let earlier = text_rows(&self.earlier, &self.later, 0);
        earlier.chain(text_rows(&self.later, &self.earlier, 2))
    }
}

/// Iterates over the rows of one text. `role` is that of a token that the other text lacks.
fn text_rows(ids: &[u32], other: &[u32], role: usize) -> impl Iterator<Item = [f32; WIDTH]> {
    ids.iter().enumerate().map(move |(position, id)| {
        let mut row = [0.0; WIDTH];
        write_token_row(*id, position, &mut row);
        let added = role_row(role + usize::from(other.contains(id)));
        row.iter_mut().zip(added).for_each(|(value, added)| *value += added);
        row
    })
}

/// Returns the probability of a changed value by the means of both texts.
fn changed_value([earlier, later]: &[[f32; WIDTH]; 2]) -> f32 {
    let features = pair_features(earlier, later);
    let hidden: [f32; PAIR_HIDDEN] = std::array::from_fn(|unit| {
        let (weights, bias) = hidden_unit(unit);
        (dot(&weights, &features) + bias).max(0.0)
    });
    let scores: [f32; RELATIONS] = std::array::from_fn(|relation| {
        let (weights, bias) = relation_unit(relation);
        dot(&weights, &hidden) + bias
    });
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let odds = scores.map(|score| (score - highest).exp());
    odds[CHANGED_VALUE] / odds.iter().sum::<f32>()
}

/// Describes a pair by both means, the distance of each of their values and its product.
fn pair_features(earlier: &[f32; WIDTH], later: &[f32; WIDTH]) -> [f32; PAIR_FEATURES] {
    std::array::from_fn(|at| {
        let (one, other) = (earlier[at % WIDTH], later[at % WIDTH]);
        [one, other, (one - other).abs(), one * other][at / WIDTH]
    })
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
