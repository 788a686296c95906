"""Packs the weights of a SPLADE model for llm/splade: python pack.py MODEL_FOLDER OUT.gz

MODEL_FOLDER has model.safetensors and tokenizer.json of a BERT with two layers of width 128.
"""

import gzip
import json
import struct
import sys

import numpy as np

MAGIC = b"PSP1"


def tensors(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        body = file.read()
    return {
        name: np.frombuffer(body[t["data_offsets"][0] : t["data_offsets"][1]], dtype="<f4").reshape(t["shape"])
        for name, t in header.items()
        if name != "__metadata__"
    }


def half(array):
    return array.astype("<f2").tobytes()


def layer_norm(weights, name):
    return half(weights[name + ".gamma"]) + half(weights[name + ".beta"])


def linear(weights, name):
    return half(weights[name + ".weight"]) + half(weights[name + ".bias"])


def pack(folder):
    weights = tensors(folder + "/model.safetensors")
    vocabulary = json.load(open(folder + "/tokenizer.json"))["model"]["vocab"]
    pieces = [piece for piece, _ in sorted(vocabulary.items(), key=lambda item: item[1])]
    rows = weights["bert.embeddings.word_embeddings.weight"]
    assert len(pieces) == len(rows) and rows.shape[1] == 128
    scales = np.abs(rows).max(axis=1) / 127
    scales[scales == 0] = 1
    out = [MAGIC, struct.pack("<I", len(pieces))]
    out.append(np.round(rows / scales[:, None]).astype(np.int8).tobytes())
    out.append(scales.astype("<f4").tobytes())
    out.append(weights["cls.predictions.bias"].astype("<f4").tobytes())
    positions = weights["bert.embeddings.position_embeddings.weight"] + weights["bert.embeddings.token_type_embeddings.weight"][0]
    out.append(half(positions[:256]))
    out.append(layer_norm(weights, "bert.embeddings.LayerNorm"))
    for layer in range(2):
        name = f"bert.encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            out.append(linear(weights, name + "attention.self." + part))
        out.append(linear(weights, name + "attention.output.dense"))
        out.append(layer_norm(weights, name + "attention.output.LayerNorm"))
        out.append(linear(weights, name + "intermediate.dense"))
        out.append(linear(weights, name + "output.dense"))
        out.append(layer_norm(weights, name + "output.LayerNorm"))
    out.append(linear(weights, "cls.predictions.transform.dense"))
    out.append(layer_norm(weights, "cls.predictions.transform.LayerNorm"))
    out.append("\n".join(pieces).encode() + b"\n")
    return b"".join(out)


if __name__ == "__main__":
    folder, path = sys.argv[1:]
    with open(path, "wb") as file:
        file.write(gzip.compress(pack(folder), 9, mtime=0))
