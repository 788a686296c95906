"""Trains the small model that encodes questions for text/encode/bge: python questions.py MODEL.onnx TOKENIZER.json WORK OUT.gz

It has three layers of the large model's twelve, the pieces of the large model, and one linear map more. It learns to say
of a text what the large model says of it as a question, after its instruction, which the small one does without. The texts
are those of ../words (WORK is the directory of its downloads, or an empty one), questions made of their words, and what people
said to assistants (people.py). No text or question of an evaluation set is among them.
"""

import gzip
import json
import pathlib
import struct
import sys

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
import optax
from tokenizers import Tokenizer

sys.path += [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "words")]
import people  # noqa: E402
from asked import asked, typed  # noqa: E402
from pack import Graph, half  # noqa: E402

MAGIC = b"PBQ1"
INSTRUCTION = "Represent this sentence for searching relevant passages: "
LAYERS = (0, 1, 11)  # of the large model, which the small one begins with
WIDTH, HEADS, LONGEST = 384, 12, 64
SHORT, PASSAGES = 18_000, 9_000  # how many texts are learned from, beside those that ask for one of the passages
TOGETHER = 256
# What is learned one after the other: which questions are made (how, number, seed) beside the short texts, how often what
# people said is among them, how often everything is gone through, and the highest rate.
FEW = [(asked, 16_000, 11)]
PHASES = [
    ([], 0, 8, 3e-4),
    (FEW, 0, 3, 2e-4),
    ([*FEW, (asked, 40_000, 12)], 0, 1, 2e-4),
    ([(asked, 48_000, 13), (typed, 12_000, 14)], 2, 1, 3e-4),
    ([(asked, 48_000, 15), (typed, 12_000, 16)], 2, 1, 2.5e-4),
]


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


# The texts, and what the large model says of them.


def texts(work):
    """Short texts and passages: those that are in pairs, and others at random."""
    from sources import collect

    file = pathlib.Path(work) / "texts.json"
    if not file.exists():
        file.write_text(json.dumps(collect(work)))
    short, passages, pairs = json.loads(file.read_text())
    random = np.random.default_rng(5)
    kept = set(random.permutation(len(passages))[:PASSAGES].tolist())
    asking = sorted({s for s, p in pairs if p in kept})
    others = [int(i) for i in random.permutation(len(short)) if int(i) not in set(asking)][:SHORT]
    return [short[i] for i in asking + others], [passages[i] for i in sorted(kept)]


def teacher(path, tokenizer, lines, longest):
    """The large model's unit vectors of lines."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    tokenizer.enable_truncation(longest)
    pieces = [e.ids for e in tokenizer.encode_batch(lines)]
    vectors = np.zeros((len(lines), WIDTH), np.float32)
    order = np.argsort([len(p) for p in pieces], kind="stable")
    for start in range(0, len(order), 32):
        some = order[start : start + 32]
        ids, mask = padded([pieces[i] for i in some], max(len(pieces[i]) for i in some))
        inputs = {"input_ids": ids.astype(np.int64), "attention_mask": mask.astype(np.int64), "token_type_ids": np.zeros(ids.shape, np.int64)}
        vectors[some] = session.run(None, inputs)[0][:, 0]
    return unit(vectors)


def padded(lists, length):
    ids, mask = np.zeros((len(lists), length), np.int32), np.zeros((len(lists), length), np.float32)
    for row, pieces in enumerate(lists):
        ids[row, : len(pieces)] = pieces[:length]
        mask[row, : len(pieces)] = 1
    return ids, mask


# The small model.


def start(graph):
    """The small model before it has learned, and the vectors of pieces and positions, which stay."""

    def linear(name):
        node = graph.nodes[f"/encoder/{name}/MatMul_quant"]
        key = node.input[1].removesuffix("_quantized")
        weights = graph.arrays[key + "_quantized"].astype(np.float32) * graph.arrays[key + "_scale"].astype(np.float32)
        return {"w": weights, "b": graph.arrays["encoder." + name.replace("/", ".") + ".bias"]}

    def norm(name):
        return {"g": graph.arrays[name + ".weight"], "b": graph.arrays[name + ".bias"]}

    rows, positions, kinds = (
        r.astype(np.float32) * s for r, s in map(graph.embeddings, ("word_embeddings", "position_embeddings", "token_type_embeddings"))
    )
    layers = []
    for i in LAYERS:
        name = f"layer.{i}"
        layer = {part[0]: linear(f"{name}/attention/self/{part}") for part in ("query", "key", "value")}
        layer["o"], layer["n"] = linear(f"{name}/attention/output/dense"), norm(f"encoder.{name}.attention.output.LayerNorm")
        layer["u"], layer["d"] = linear(f"{name}/intermediate/dense"), linear(f"{name}/output/dense")
        layer["m"] = norm(f"encoder.{name}.output.LayerNorm")
        layers.append(layer)
    weights = {"first": norm("embeddings.LayerNorm"), "layers": layers, "last": {"w": np.eye(WIDTH), "b": np.zeros(WIDTH)}}
    return jax.tree.map(lambda x: jnp.array(x, jnp.float32), weights), jnp.array(rows), jnp.array(positions[:LONGEST] + kinds[0])


def normalized(x, p):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-12) * p["g"] + p["b"]


def mapped(x, p):
    return x @ p["w"] + p["b"]


def encode(weights, rows, positions, ids, mask):
    n, length = ids.shape
    x = normalized(rows[ids] + positions[:length], weights["first"])
    for p in weights["layers"]:
        query, key, value = (mapped(x, p[k]).reshape(n, length, HEADS, -1).transpose(0, 2, 1, 3) for k in "qkv")
        scores = jnp.einsum("bhtd,bhsd->bhts", query, key) / (WIDTH / HEADS) ** 0.5 + (1 - mask)[:, None, None, :] * -1e9
        mixed = jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(scores, -1), value).transpose(0, 2, 1, 3).reshape(n, length, WIDTH)
        x = normalized(mapped(mixed, p["o"]) + x, p["n"])
        x = normalized(mapped(jax.nn.gelu(mapped(x, p["u"]), approximate=False), p["d"]) + x, p["m"])
    y = mapped(x[:, 0], weights["last"])
    return y / jnp.linalg.norm(y, axis=-1, keepdims=True)


def train(weights, rows, positions, pieces, wanted, passages, epochs, rate):
    """Fits the weights: vectors are to be those wanted, and to have passages in the same order."""
    random = np.random.default_rng(0)
    order = np.argsort([len(p) for p in pieces], kind="stable")
    batches = len(order) // TOGETHER
    some = jnp.array(passages[random.permutation(len(passages))[:2048]])
    optimizer = optax.adamw(optax.linear_onecycle_schedule(epochs * batches, rate), weight_decay=0.01)
    state = optimizer.init(weights)

    def loss(weights, ids, mask, wanted):
        given = encode(weights, rows, positions, ids, mask)
        cosine = (given * wanted).sum(-1).mean()
        shares = jax.nn.softmax(wanted @ some.T / 0.02, -1)
        return (1 - cosine) * 10 - 0.3 * (shares * jax.nn.log_softmax(given @ some.T / 0.02, -1)).sum(-1).mean(), cosine

    @jax.jit
    def step(weights, state, ids, mask, wanted):
        (_, cosine), gradient = jax.value_and_grad(loss, has_aux=True)(weights, ids, mask, wanted)
        updates, state = optimizer.update(gradient, state, weights)
        return optax.apply_updates(weights, updates), state, cosine

    for epoch in range(epochs):
        cosines = []
        for batch in random.permutation(batches):
            chosen = order[batch * TOGETHER : (batch + 1) * TOGETHER]
            longest = max(len(pieces[i]) for i in chosen)
            ids, mask = padded([pieces[i] for i in chosen], next(n for n in (8, 16, 32, 64) if n >= longest))
            weights, state, cosine = step(weights, state, ids, mask, jnp.array(wanted[chosen]))
            cosines.append(float(cosine))
        print(f"epoch {epoch}: mean cosine {np.mean(cosines):.4f}", flush=True)
    return weights


# The file.


def packed(weights):
    """Linear maps in 8 bits with a scale for each output, the rest in 16-bit floats, as pack.py does it."""

    def linear(p):
        scale = np.abs(p["w"]).max(0) / 127
        rows = np.round(p["w"] / scale).astype(np.int8)
        return np.ascontiguousarray(rows.T).tobytes() + scale.astype("<f4").tobytes() + half(p["b"])

    def norm(p):
        return half(p["g"]) + half(p["b"])

    out = [MAGIC, struct.pack("<I", len(weights["layers"])), norm(weights["first"])]
    for p in weights["layers"]:
        out += [linear(p[k]) for k in "qkvo"] + [norm(p["n"]), linear(p["u"]), linear(p["d"]), norm(p["m"])]
    return b"".join([*out, linear(weights["last"])])


if __name__ == "__main__":
    model, tokenizer, work, path = sys.argv[1:]
    graph, tokenizer = Graph(model), Tokenizer.from_file(tokenizer)
    tokenizer.no_padding()
    short, passages = texts(work)
    near = teacher(model, tokenizer, passages, 128)
    weights, *fixed = start(graph)
    for made, times, epochs, rate in PHASES:
        lines = short + [question for make, n, seed in made for question in make(work, n, seed)] + people.said(work) * times
        wanted = teacher(model, tokenizer, [INSTRUCTION + line for line in lines], 128)
        tokenizer.enable_truncation(LONGEST)
        pieces = [e.ids for e in tokenizer.encode_batch(lines)]
        weights = train(weights, *fixed, pieces, wanted, near, epochs, rate)
    with open(path, "wb") as file:
        file.write(gzip.compress(packed(jax.tree.map(np.asarray, weights)), 9, mtime=0))
