//! How the build script lays the model out in the binary, and so how the code reads it back: both
//! compile this file. It knows shapes and one hash function, not where the bytes live.

/// Numbers in a vector, and the depth of every matrix product in the model: wider ones are cut into
/// such blocks.
pub const WIDTH: usize = 256;
/// Output columns of one panel of weights.
pub const COLUMNS: usize = 32;
/// Consecutive depth positions that lie side by side for one column, as a 4-way integer dot product
/// wants them.
pub const QUAD: usize = 4;
/// Bytes of one panel: a `WIDTH` × `COLUMNS` slice of a weight matrix as signed bytes.
pub const PANEL: usize = WIDTH * COLUMNS;
/// Transformer layers.
pub const LAYERS: usize = 2;
/// Blocks of `WIDTH` that the feed-forward part's hidden side is cut into.
pub const HIDDEN_BLOCKS: usize = 4;
/// The most tokens that share one context; longer texts are cut into windows.
pub const WINDOW: usize = 128;
/// No vocabulary entry has more bytes than this, `##` not counted.
pub const LONGEST_ENTRY: usize = 32;
/// Slots of the vocabulary's hash table. A power of two; at 39,524 entries three in five are taken.
pub const SLOTS: usize = 1 << 16;
/// What an empty slot holds; no id is that large.
pub const EMPTY: u32 = u32::MAX;

/// The state of the rolling hash before the first byte of an entry.
pub const HASH_START: u32 = 0x811c_9dc5;

/// Moves the rolling hash over one byte, so that all prefixes of a word are hashed in one walk
/// (FNV-1a).
pub const fn hash_byte(state: u32, byte: u8) -> u32 {
    (state ^ byte as u32).wrapping_mul(0x0100_0193)
}

/// Where to look for an entry of this hash, and the tag that its slot bears beside the id.
pub const fn slot_and_tag(state: u32) -> (usize, u32) {
    let mixed = state.wrapping_mul(0x9e37_79b1);
    ((mixed >> 16) as usize % SLOTS, mixed & 0xffff)
}
