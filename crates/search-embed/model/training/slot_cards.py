"""Makes labelled pairs from slot cards.

A card holds sentences about one slot, which has one value at a time: some that state a value (`a`),
some that state another (`b`), some with more detail, a denial, near misses and events. Which
relation two of its sentences have follows from where they stand on the card.
"""
import json
import pathlib

# How often each kind of pair is drawn, and its relation.
KINDS = [
    (14, "a", "b", "changed_value"),
    (3, "b", "a", "changed_value"),
    (1, "detail", "b", "changed_value"),
    (3, "a", "a", "paraphrase"),
    (3, "b", "b", "paraphrase"),
    (1, "a", "detail", "more_detailed"),
    (1, "detail", "a", "paraphrase"),
    (1, "a", "opposite", "opposite"),
    (1, "opposite", "a", "opposite"),
    (4, "a", "near", "unrelated"),
    (4, "near", "a", "unrelated"),
    (3, "b", "near", "unrelated"),
    (3, "near", "b", "unrelated"),
    (2, "near", "near", "unrelated"),
    (1, "near", "event", "unrelated"),
    (2, "a", "event", "unrelated"),
    (1, "b", "event", "unrelated"),
    (1, "event", "a", "unrelated"),
    (1, "event", "b", "unrelated"),
    (1, "event", "event", "other_event"),
]
WEIGHTS = [kind[0] for kind in KINDS]


def read(path):
    """The cards of a file, one JSON object in each line."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def draw(card, count, rng):
    """Draws pairs of a card as (relation, earlier, later), at most one of the same two texts."""
    drawn = {}
    for _, first, second, relation in rng.choices(KINDS, WEIGHTS, k=2 * count):
        earlier, later = card.get(first), card.get(second)
        if not earlier or not later or len(drawn) == count:
            continue
        texts = rng.choice(earlier), rng.choice(later)
        if texts[0] != texts[1]:
            drawn.setdefault(texts, relation)
    return [(relation, *texts) for texts, relation in drawn.items()]


def texts(card):
    """All sentences of a card."""
    fields = ("a", "b", "detail", "opposite", "near", "event")
    return [text for field in fields for text in card.get(field, [])]
