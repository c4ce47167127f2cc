"""Makes labelled pairs from series of siblings.

A series has three wordings with a place for a sibling and one for its value, six siblings and six
values. Siblings never contradict each other, whatever their values; two values of one sibling do.
"""

# How often each kind of pair is drawn: whether the siblings and the values are the same.
KINDS = [
    (5, True, False, "changed_value"),
    (5, False, False, "unrelated"),
    (2, False, True, "unrelated"),
    (2, True, True, "paraphrase"),
]
WEIGHTS = [kind[0] for kind in KINDS]


def draw(series, count, rng):
    """Draws pairs of a series as (relation, earlier, later)."""
    drawn = []
    for _, same_sibling, same_value, relation in rng.choices(KINDS, WEIGHTS, k=count):
        siblings, values = rng.sample(series["ids"], 2), rng.sample(series["values"], 2)
        earlier, later = rng.choice(series["texts"]), rng.choice(series["texts"])
        # Most siblings are told of in the same words.
        if not same_sibling and rng.random() < 0.6:
            later = earlier
        fill = lambda text, at: text.replace(
            "{id}", siblings[0 if same_sibling else at]).replace(
            "{value}", values[0 if same_value else at])
        if fill(earlier, 0) != fill(later, 1):
            drawn.append((relation, fill(earlier, 0), fill(later, 1)))
    return drawn
