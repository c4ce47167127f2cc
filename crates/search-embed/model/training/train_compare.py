#!/usr/bin/env python3
"""Trains quipu-compare-1 from quipu-embed-2 and labelled pairs, and writes its weights.

Needs numpy, jax, optax and safetensors; an epoch takes five to ten minutes on two cores.

    train_compare.py OUT.safetensors [--epochs N] [--rate R] [--start WEIGHTS] [--seed N]
                     [--mean-with-start] [--each-card N] [--labelled-share S] [--hold-out N]
                     [--cards CARDS.jsonl ...] [--count PAIRS.tsv ...] --pairs PAIRS.tsv ...

Each file of pairs has a header and the columns id, topic, language, relation, earlier, later; cards
are described in slot_cards.py and sibling_series.py. With --hold-out, every Nth of the earlier
texts and of the cards is left out, and counted after every epoch, as are the files of --count.
"""
import argparse
import collections
import importlib.util
import pathlib
import random
import zlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from safetensors.numpy import load_file, save_file

import sibling_series
import slot_cards

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("reference", HERE.parent / "reference.py")
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)

# The order is that of the outputs of the model.
RELATIONS = ["same", "more_detailed", "changed_value", "opposite", "reversed", "other_event",
             "paraphrase", "unrelated"]
CHANGED, UNRELATED = RELATIONS.index("changed_value"), RELATIONS.index("unrelated")
TEXT_TOKENS, HIDDEN, DROPOUT = 48, 64, 0.1
BATCH = 48
# Pairs of sentences from different rows for each labelled pair: most texts that meet in a memory
# belong to no pair.
CROSS_SHARE = 0.6
# Share of those that need have nothing in common, and of the others the share across languages.
STRANGERS, FOREIGN = 0.25, 0.25


def read(path):
    rows = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").split("\n")[1:]:
        fields = line.split("\t")
        if len(fields) == 6 and fields[3] in RELATIONS:
            rows.append({"family": fields[4], "language": fields[2],
                         "label": RELATIONS.index(fields[3]),
                         "earlier": fields[4], "later": fields[5]})
    return rows


def draw_pairs(card, count, rng):
    """Draws pairs of a slot card or of a series of siblings."""
    return (sibling_series if "texts" in card else slot_cards).draw(card, count, rng)


def draw_from_cards(cards, count, rng):
    return [{"family": card["id"], "language": card["language"],
             "label": RELATIONS.index(relation), "earlier": earlier, "later": later}
            for card in cards
            for relation, earlier, later in draw_pairs(card, count, rng)]


def encode(row):
    """Ids, roles and positions of the tokens of both texts, one behind the other."""
    earlier, later = (reference.tokenize(row[side])[:TEXT_TOKENS] for side in ("earlier", "later"))
    roles = [int(one in later) for one in earlier] + [2 + int(one in earlier) for one in later]
    positions = list(range(len(earlier))) + list(range(len(later)))
    return np.array([earlier + later, roles, positions], dtype=np.int32)


def cross_pairs(rows, count, rng):
    """Pairs of sentences of rows that begin differently; most share a rare token."""
    texts = list({(row["family"], row["language"], row[side]): None for row in rows
                  for side in ("earlier", "later")})
    tokens = [set(reference.tokenize(text)) for _, _, text in texts]
    holders, anywhere = collections.defaultdict(list), collections.defaultdict(list)
    for at, (_, language, _) in enumerate(texts):
        for token in tokens[at]:
            holders[language, token].append(at)
            anywhere[token].append(at)
    pairs = []
    while len(pairs) < count:
        first = rng.randrange(len(texts))
        family, language, text = texts[first]
        if rng.random() < STRANGERS:
            second = rng.randrange(len(texts))
        else:
            foreign = rng.random() < FOREIGN
            known = lambda token: anywhere[token] if foreign else holders[language, token]
            shared = sorted(tokens[first], key=lambda token: len(known(token)))
            shared = [token for token in shared if len(known(token)) > 2][:4]
            if not shared:
                continue
            second = rng.choice(known(rng.choice(shared)))
        if texts[second][0] != family:
            pairs.append({"language": language, "label": UNRELATED, "earlier": text,
                          "later": texts[second][2]})
    return pairs


def initial(rng):
    """The layers of quipu-embed-2, and small random numbers for what is new."""
    weights = {name: jnp.array(value) for name, value in reference.W.items()
               if name.startswith("layers.")}
    normal = lambda scale, *shape: jnp.array(rng.normal(0, scale, shape).astype(np.float32))
    weights["role"] = normal(0.02, 4, 256)
    weights["head.hidden.weight"] = normal(0.03, HIDDEN, 1024)
    weights["head.hidden.bias"] = jnp.zeros(HIDDEN)
    weights["head.output.weight"] = normal(0.08, len(RELATIONS), HIDDEN)
    weights["head.output.bias"] = jnp.zeros(len(RELATIONS))
    return weights


def norm(x, gain, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * gain + shift


POSITIONS = jnp.array(reference.W["pos"])


def scores(weights, embedded, roles, positions, mask, key=None):
    """Scores of the relations. `key` turns dropout on."""
    def drop(x, at):
        if key is None:
            return x
        kept = jax.random.bernoulli(jax.random.fold_in(key, at), 1 - DROPOUT, x.shape)
        return x * kept / (1 - DROPOUT)

    x = embedded + POSITIONS[positions] + weights["role"][roles]
    batch, length, width = x.shape
    hidden_tokens = (mask - 1)[:, None, None, :] * 1e9
    for layer in range(reference.LAYERS):
        of = lambda name: weights[f"layers.{layer}.{name}"]
        linear = lambda x, name: x @ of(f"{name}.weight").T + of(f"{name}.bias")
        qkv = linear(norm(x, of("norm1.weight"), of("norm1.bias")), "qkv")
        q, k, v = qkv.reshape(batch, length, 3, 4, 64).transpose(2, 0, 3, 1, 4)
        attention = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / 8 + hidden_tokens, -1)
        mixed = (attention @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = x + drop(linear(mixed, "out"), 2 * layer)
        up = linear(norm(x, of("norm2.weight"), of("norm2.bias")), "up")
        x = x + drop(linear(jax.nn.gelu(up, approximate=False), "down"), 2 * layer + 1)
    means = []
    for later in (False, True):
        share = mask * ((roles >= 2) == later)
        total = jnp.maximum(share.sum(1, keepdims=True), 1)
        means.append((x * share[..., None]).sum(1) / total)
    one, other = means
    features = jnp.concatenate([one, other, jnp.abs(one - other), one * other], -1)
    hidden = drop(features, 10) @ weights["head.hidden.weight"].T + weights["head.hidden.bias"]
    output = drop(jax.nn.relu(hidden), 11) @ weights["head.output.weight"].T
    return output + weights["head.output.bias"]


def loss(weights, batch, labels, key):
    """All relations, and once more whether the value changed, which is what counts."""
    logs = jax.nn.log_softmax(scores(weights, *batch, key=key))
    relation = -jnp.take_along_axis(logs, labels[:, None], 1).mean()
    others = jax.nn.logsumexp(jnp.delete(logs, CHANGED, axis=1, assume_unique_indices=True), 1)
    changed = -jnp.where(labels == CHANGED, logs[:, CHANGED], others).mean()
    return 0.5 * relation + changed


def stack(rows, chosen):
    """The chosen rows as arrays, padded to a multiple of eight tokens."""
    length = -(-max(rows[at]["tokens"].shape[1] for at in chosen) // 8) * 8
    tokens = np.zeros((len(chosen), 3, length), np.int32)
    mask = np.zeros((len(chosen), length), np.float32)
    for at, row in enumerate(chosen):
        count = rows[row]["tokens"].shape[1]
        tokens[at, :, :count], mask[at, :count] = rows[row]["tokens"], 1
    return reference.TABLE[tokens[:, 0]], tokens[:, 1], tokens[:, 2], mask


def batches(rows, rng):
    """Batches of rows of about the same length, in random order."""
    order = list(range(len(rows)))
    order.sort(key=lambda at: rows[at]["tokens"].shape[1] // 8 + rng.random() * 0.999)
    parts = [order[at:at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(parts)
    for part in parts:
        yield part + [rng.randrange(len(rows)) for _ in range(BATCH - len(part))]


probabilities = jax.jit(lambda weights, *batch: jax.nn.softmax(scores(weights, *batch)))


def count_held_out(weights, rows):
    """Prints how many changed values are called above some thresholds, and how many are right."""
    order = sorted(range(len(rows)), key=lambda at: rows[at]["tokens"].shape[1])
    changed = np.zeros(len(rows))
    for first in range(0, len(order), BATCH):
        part = order[first:first + BATCH]
        filled = part + part[:1] * (BATCH - len(part))
        relations = np.asarray(probabilities(weights, *stack(rows, filled)))
        changed[part] = relations[:len(part), CHANGED]
    right = np.array([row["label"] == CHANGED for row in rows])
    for edge in (0.5, 0.8, 0.9, 0.95, 0.98):
        called = changed >= edge
        print(f"  from {edge}: {called.sum()} called, {(called & right).sum()} right, "
              f"{right.sum()} labelled", flush=True)


def is_kept_apart(key, every):
    return every and zlib.crc32(key.encode()) % every == 0


def tokenized(rows):
    for row in rows:
        row["tokens"] = encode(row)
    return rows


def pairs_of_epoch(rows, cards, given, rng):
    """Some labelled pairs, some of each card, and pairs of sentences that belong to no pair."""
    share = given.labelled_share if cards else 1
    drawn = draw_from_cards(cards, given.each_card, rng)
    labelled = rng.sample(rows, int(len(rows) * share)) + drawn
    return tokenized(labelled + cross_pairs(labelled, int(len(labelled) * CROSS_SHARE), rng))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--pairs", nargs="+", required=True)
    parser.add_argument("--cards", nargs="*", default=[])
    parser.add_argument("--count", nargs="*", default=[], help="files that are only counted")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--start", help="weights to go on from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mean-with-start", action="store_true",
                        help="in the end, write the mean of the weights before and after")
    parser.add_argument("--each-card", type=int, default=10, metavar="N",
                        help="pairs that an epoch draws of each card")
    parser.add_argument("--labelled-share", type=float, default=0.5, metavar="S",
                        help="share of the labelled pairs that an epoch takes beside cards")
    parser.add_argument("--hold-out", type=int, default=0, metavar="N")
    return parser.parse_args()


def main():
    given = arguments()
    rng = random.Random(given.seed)
    rows = [row for path in given.pairs for row in read(path)]
    cards = [card for path in given.cards for card in slot_cards.read(path)]
    apart = {
        "pairs": [row for row in rows if is_kept_apart(row["earlier"], given.hold_out)],
        "cards": draw_from_cards(
            [card for card in cards if is_kept_apart(card["id"], given.hold_out)],
            given.each_card, rng),
        **{path: read(path) for path in given.count},
    }
    rows = [row for row in rows if not is_kept_apart(row["earlier"], given.hold_out)]
    cards = [card for card in cards if not is_kept_apart(card["id"], given.hold_out)]
    for kept in apart.values():
        tokenized(kept)
    weights = start = initial(np.random.default_rng(1))
    if given.start:
        weights = start = {k: jnp.array(v.astype(np.float32))
                           for k, v in load_file(given.start).items()}
    epochs = [pairs_of_epoch(rows, cards, given, rng) for _ in range(given.epochs)]
    steps = sum(-(-len(pairs) // BATCH) for pairs in epochs)
    rate = optax.warmup_cosine_decay_schedule(
        0, given.rate, min(100, steps // 10), steps, given.rate * 0.02)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01))
    state = optimiser.init(weights)

    @jax.jit
    def step(weights, state, batch, labels, key):
        value, gradient = jax.value_and_grad(loss)(weights, batch, labels, key)
        update, state = optimiser.update(gradient, state, weights)
        return optax.apply_updates(weights, update), state, value

    key, done = jax.random.PRNGKey(given.seed), 0
    for epoch, pairs in enumerate(epochs):
        for part in batches(pairs, rng):
            key, now = jax.random.split(key)
            labels = jnp.array([pairs[at]["label"] for at in part])
            weights, state, value = step(weights, state, stack(pairs, part), labels, now)
            done += 1
            if done % 100 == 0:
                print(f"{done} of {steps}: {value:.3f}", flush=True)
        if given.mean_with_start and epoch + 1 == given.epochs:
            weights = {k: (v + start[k]) / 2 for k, v in weights.items()}
        save_file({k: np.asarray(v, np.float16) for k, v in weights.items()}, given.out)
        print(f"epoch {epoch + 1}", flush=True)
        for name, kept in apart.items():
            if kept:
                print(f" {name}")
                count_held_out(weights, kept)


if __name__ == "__main__":
    main()
