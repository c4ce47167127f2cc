//! Layout of the model in the binary, shared by the build script that writes it and the code that
//! reads it: both compile this file. It knows shapes and one hash function, not where the bytes
//! are.

/// Dimensions of a vector, and the depth of every matrix product in the model: wider products are
/// split into blocks of this size.
pub const WIDTH: usize = 256;
/// Number of output columns in one panel of weights.
pub const COLUMNS: usize = 32;
/// Number of consecutive depth positions stored together for one column, as the 4-way integer dot
/// product (VPDPBUSD) needs them.
pub const QUAD: usize = 4;
/// Bytes of one panel: a `WIDTH` × `COLUMNS` slice of a weight matrix as signed bytes.
pub const PANEL: usize = WIDTH * COLUMNS;
/// Number of transformer layers in each of the two networks.
pub const LAYERS: usize = 3;
/// Number of networks that share the token embeddings: the embedder and the cross-encoder.
pub const NETWORKS: usize = 2;
/// Number of roles of a token in a pair of texts: in the earlier or the later one, each with and
/// without the same token in the other.
pub const TOKEN_ROLES: usize = 4;
/// Number of values that describe a pair: the means of both texts, their distance and product.
pub const PAIR_FEATURES: usize = 4 * WIDTH;
/// Number of units between the description of a pair and the relations.
pub const PAIR_HIDDEN: usize = 64;
/// Number of relations that the cross-encoder tells apart.
pub const RELATIONS: usize = 8;
/// Number of `WIDTH` blocks in the hidden side of the feed-forward network.
pub const HIDDEN_BLOCKS: usize = 4;
/// Maximum number of tokens that share one context; longer texts are split into windows.
pub const WINDOW: usize = 128;
/// Maximum number of bytes of a vocabulary entry, `##` not counted.
pub const LONGEST_ENTRY: usize = 42;
/// Number of slots in the vocabulary's hash table, a power of two. With 103,743 entries the
/// load factor is 0.4.
pub const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 18;
/// Number of bits of a slot that hold the id of an entry; the others hold its tag.
pub const ID_BITS: u32 = 17;
/// Content of an empty slot; no id is that large.
pub const EMPTY: u32 = u32::MAX;

/// Initial state of the rolling hash (the FNV-1a offset basis).
pub const HASH_START: u32 = 0x811c_9dc5;

/// Advances the rolling FNV-1a hash by one byte, so that all prefixes of a word are hashed in one
/// pass.
pub const fn hash_byte(state: u32, byte: u8) -> u32 {
    (state ^ byte as u32).wrapping_mul(0x0100_0193)
}

/// Returns the slot at which the search for an entry of this hash starts, and the tag stored with
/// its id.
pub const fn slot_and_tag(state: u32) -> (usize, u32) {
    // FNV-1a mixes its high bits poorly for short words; the multiplication spreads them.
    let mixed = state.wrapping_mul(0x9e37_79b1);
    ((mixed >> (32 - SLOT_BITS)) as usize, mixed & (u32::MAX >> ID_BITS))
}
