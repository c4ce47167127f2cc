"""Makes the tiny model of these tests and the vectors it must give.

The weights are random by a fixed seed, so they mean nothing; the vectors are computed here with numpy alone, by an
implementation that shares no line with the one it is held against. Run it from this folder:

    python3 make_tiny.py

To compare a real model with the same implementation, name its directory; the texts are read from standard input, one
a line, and a JSON list of vectors is written:

    python3 make_tiny.py DIRECTORY < texts > vectors.json
"""

import json
import math
import os
import struct
import sys
import unicodedata

import numpy as np

SEED = 20260503
WIDTH, LAYERS, HEADS, INNER, POSITIONS = 32, 2, 4, 64, 24
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = (
    "the of and to in is on at for with we you it this that was are port lamp green red tower harbour opens six "
    "seven tea bread train garden water morning evening key store memory question answer query passage run test"
).split()
ENDINGS = "s ed ing er ly y al ion".split()
PUNCTUATION = list(".,:;!?-'\"()/@#")
TEXTS = [
    "The lamp of the tower is green.",
    "the harbour opens at six",
    "Which train goes to the garden in the evening?",
    "Émile's café: naïve résumé!",
    "漢字 and kana カナ",
    "unknownword\u0001 with\tcontrols\u200b",
    "a",
    "",
    "port 8080, port 9090 and port 7717 " * 6,
]


def vocabulary():
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += list(LETTERS) + ["##" + letter for letter in LETTERS]
    pieces += WORDS + ["##" + ending for ending in ENDINGS if len(ending) > 1] + PUNCTUATION + ["漢"]
    return list(dict.fromkeys(pieces))


def is_punctuation(c):
    return c.isascii() and not c.isalnum() and not c.isspace() or unicodedata.category(c).startswith("P")


def is_ideograph(c):
    return 0x4E00 <= ord(c) <= 0x9FFF or 0x3400 <= ord(c) <= 0x4DBF or 0xF900 <= ord(c) <= 0xFAFF


def words_of(text):
    kept = []
    for c in text:
        category = unicodedata.category(c)
        if c in "\t\n\r" or category == "Zs":
            kept.append(" ")
        elif c not in "\0\ufffd" and not category.startswith("C"):
            kept.append(f" {c} " if is_ideograph(c) else c)
    bare = "".join(c for c in unicodedata.normalize("NFD", "".join(kept)) if unicodedata.category(c) != "Mn")
    spaced = "".join(f" {c} " if is_punctuation(c) else c for c in bare.lower())
    return spaced.split()


def pieces_of(word, known):
    found, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start and ("##" if start else "") + word[start:end] not in known:
            end -= 1
        if end == start or len(word) > 100:
            return [known["[UNK]"]]
        found.append(known[("##" if start else "") + word[start:end]])
        start = end
    return found


def windows_of(text, known, longest, most=8):
    ids = [piece for word in words_of(text) for piece in pieces_of(word, known)]
    room = longest - 2
    cut = [ids[at : at + room] for at in range(0, len(ids), room)][:most] or [[]]
    return [[known["[CLS]"]] + window + [known["[SEP]"]] for window in cut]


def normed(x, weights, name, eps):
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(spread + eps) * weights[name + ".weight"] + weights[name + ".bias"]


def linear(x, weights, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


erf = np.vectorize(math.erf)


def tokens_of(window, weights, shape):
    first = 0 if shape["model_type"] == "bert" else shape["pad_token_id"] + 1
    eps, heads = shape["layer_norm_eps"], shape["num_attention_heads"]
    x = weights["embeddings.word_embeddings.weight"][window]
    x = x + weights["embeddings.position_embeddings.weight"][first : first + len(window)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = normed(x, weights, "embeddings.LayerNorm", eps)
    for layer in range(shape["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = (linear(x, weights, at + "attention.self." + name) for name in ("query", "key", "value"))
        heard = []
        for q1, k1, v1 in zip(*(np.split(each, heads, axis=-1) for each in (q, k, v))):
            scores = q1 @ k1.T / math.sqrt(q1.shape[-1])
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            heard.append(shares / shares.sum(-1, keepdims=True) @ v1)
        heard = linear(np.concatenate(heard, -1), weights, at + "attention.output.dense")
        x = normed(x + heard, weights, at + "attention.output.LayerNorm", eps)
        wide = linear(x, weights, at + "intermediate.dense")
        wide = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))
        x = normed(x + linear(wide, weights, at + "output.dense"), weights, at + "output.LayerNorm", eps)
    return x


def vector_of(window, weights, shape, pooling):
    x = tokens_of(window, weights, shape)
    pooled = x[0] if pooling == "cls" else x.mean(0)
    return pooled / np.linalg.norm(pooled)


def random_weights(shape, rng):
    def table(rows, columns):
        return rng.normal(0, 0.3, (rows, columns)).astype(np.float32)

    def layer(name, rows, columns):
        return {name + ".weight": table(rows, columns), name + ".bias": table(1, rows)[0]}

    def norm(name):
        return {name + ".weight": 1 + table(1, WIDTH)[0], name + ".bias": table(1, WIDTH)[0]}

    weights = {"embeddings.word_embeddings.weight": table(shape["vocab_size"], WIDTH)}
    weights["embeddings.position_embeddings.weight"] = table(POSITIONS, WIDTH)
    weights["embeddings.token_type_embeddings.weight"] = table(2, WIDTH)
    weights |= norm("embeddings.LayerNorm")
    for number in range(LAYERS):
        at = f"encoder.layer.{number}."
        for name in ("query", "key", "value"):
            weights |= layer(at + "attention.self." + name, WIDTH, WIDTH)
        weights |= layer(at + "attention.output.dense", WIDTH, WIDTH) | norm(at + "attention.output.LayerNorm")
        weights |= layer(at + "intermediate.dense", INNER, WIDTH) | layer(at + "output.dense", WIDTH, INNER)
        weights |= norm(at + "output.LayerNorm")
    return weights


def write_safetensors(path, weights):
    header, at = {}, 0
    for name, values in weights.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in weights.values():
            file.write(values.tobytes())


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        body = file.read()
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    return {
        name: np.frombuffer(body[slice(*told["data_offsets"])], kinds[told["dtype"]]).reshape(told["shape"])
        for name, told in header.items()
        if name != "__metadata__"
    }


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make(directory):
    pieces = vocabulary()
    shape = {
        "model_type": "bert",
        "vocab_size": len(pieces),
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
    }
    weights = random_weights(shape, np.random.default_rng(SEED))
    write(f"{directory}/config.json", json.dumps(shape, indent=1) + "\n")
    write(f"{directory}/vocab.txt", "\n".join(pieces) + "\n")
    pooling = {"word_embedding_dimension": WIDTH, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
    write(f"{directory}/1_Pooling/config.json", json.dumps(pooling, indent=1) + "\n")
    kinds = ("Transformer", "Pooling", "Normalize")
    modules = [{"idx": at, "type": f"sentence_transformers.models.{kind}"} for at, kind in enumerate(kinds)]
    write(f"{directory}/modules.json", json.dumps(modules, indent=1) + "\n")
    write_safetensors(f"{directory}/model.safetensors", weights)

    known = {piece: at for at, piece in enumerate(pieces)}
    roberta = shape | {"model_type": "roberta", "pad_token_id": 1}
    golden = []
    for text in TEXTS:
        ways = {"mean": (shape, "mean"), "cls": (shape, "cls"), "roberta": (roberta, "mean")}
        told = {"text": text}
        for way, (one, pooling) in ways.items():
            longest = POSITIONS - (2 if way == "roberta" else 0)
            windows = windows_of(text, known, longest)
            told[way] = [[round(float(x), 6) for x in vector_of(w, weights, one, pooling)] for w in windows]
        golden.append(told)
    lines = ",\n".join(json.dumps(told, ensure_ascii=True) for told in golden)
    write(f"{directory}/golden.json", f"[\n{lines}\n]\n")


def compare(directory):
    with open(f"{directory}/config.json", encoding="utf-8") as file:
        shape = json.load(file)
    with open(f"{directory}/vocab.txt", encoding="utf-8") as file:
        known = {piece.rstrip("\n"): at for at, piece in enumerate(file)}
    weights = read_safetensors(f"{directory}/model.safetensors")
    weights = {name.removeprefix("bert."): values for name, values in weights.items()}
    texts = [line.rstrip("\n") for line in sys.stdin]
    vectors = [vector_of(windows_of(text, known, 256)[0], weights, shape, "mean") for text in texts]
    print(json.dumps([[float(x) for x in vector] for vector in vectors]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compare(sys.argv[1])
    else:
        make(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiny"))
