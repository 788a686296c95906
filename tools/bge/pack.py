"""Packs the weights of a quantized BERT sentence encoder for text/encode/bge: python pack.py MODEL.onnx TOKENIZER.json OUT.gz

MODEL.onnx is bge-small-en-v1.5 with weights in 8 bits, as ONNX Runtime's dynamic quantization writes it.
"""

import gzip
import json
import struct
import sys

import numpy as np
import onnx
from onnx import numpy_helper

MAGIC = b"PBG1"
POSITIONS = 256  # the model knows 512


def half(array):
    return array.astype("<f2").tobytes()


class Graph:
    def __init__(self, path):
        graph = onnx.load(path).graph
        self.arrays = {a.name: numpy_helper.to_array(a) for a in graph.initializer}
        self.nodes = {node.name: node for node in graph.node}
        self.by_input = {}
        for node in graph.node:
            for name in node.input:
                self.by_input.setdefault(name, []).append(node)

    def embeddings(self, name):
        """Rows in 8 bits around zero, and their scale."""
        rows = self.arrays[f"embeddings.{name}.weight_quantized"]
        assert rows.dtype == np.uint8 and self.arrays[f"embeddings.{name}.weight_zero_point"] == 128
        return (rows.astype(np.int16) - 128).astype(np.int8), np.float32(self.arrays[f"embeddings.{name}.weight_scale"])

    def linear(self, name):
        """A linear map: rows of weights in 8 bits for each output, a scale each, and the bias."""
        node = self.nodes[f"/encoder/{name}/MatMul_quant"]
        key = node.input[1].removesuffix("_quantized")
        weights, scale, zero = (self.arrays[key + end] for end in ("_quantized", "_scale", "_zero_point"))
        assert weights.dtype == np.int8 and not zero.any()
        bias = self.arrays["encoder." + name.replace("/", ".").removeprefix("encoder.") + ".bias"]
        assert weights.shape[1] == len(bias) == len(scale)
        return np.ascontiguousarray(weights.T).tobytes() + scale.astype("<f4").tobytes() + half(bias)

    def norm(self, name):
        return half(self.arrays[name + ".weight"]) + half(self.arrays[name + ".bias"])


def pack(model, tokenizer):
    graph = Graph(model)
    vocabulary = json.load(open(tokenizer))["model"]["vocab"]
    pieces = [piece for piece, _ in sorted(vocabulary.items(), key=lambda item: item[1])]
    rows, scale = graph.embeddings("word_embeddings")
    assert rows.shape == (len(pieces), 384)
    positions, kinds = ((r.astype(np.float32) * s) for r, s in map(graph.embeddings, ("position_embeddings", "token_type_embeddings")))
    out = [MAGIC, struct.pack("<If", len(pieces), scale), rows.tobytes()]
    out += [half(positions[:POSITIONS] + kinds[0]), graph.norm("embeddings.LayerNorm")]
    for i in range(12):
        layer = f"layer.{i}"
        out += [graph.linear(f"{layer}/attention/self/{part}") for part in ("query", "key", "value")]
        out += [graph.linear(f"{layer}/attention/output/dense"), graph.norm(f"encoder.{layer}.attention.output.LayerNorm")]
        out += [graph.linear(f"{layer}/intermediate/dense"), graph.linear(f"{layer}/output/dense")]
        out.append(graph.norm(f"encoder.{layer}.output.LayerNorm"))
    out.append("\n".join(pieces).encode() + b"\n")
    return b"".join(out)


if __name__ == "__main__":
    model, tokenizer, path = sys.argv[1:]
    with open(path, "wb") as file:
        file.write(gzip.compress(pack(model, tokenizer), 9, mtime=0))
