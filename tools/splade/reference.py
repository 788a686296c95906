"""Prints what a SPLADE model says of fixed texts, for the tests of llm/splade: python reference.py MODEL_FOLDER > reference.json

It computes with the model's own 32-bit weights.
"""

import json
import sys
from math import erf, sqrt

import numpy as np
from tokenizers import Tokenizer

from pack import tensors

CUT = 220

TEXTS = [
    "how do i reset my password",
    "The company was founded in 1976 by Steve Jobs. It makes phones and computers in California.",
    "Refunds\n\nIf a parcel arrives broken, write to us within 14 days and attach a photo. We pay the money back to the card that you used.",
    "Überprüfen Sie die Öffnungszeiten — naïve café, 東京 and snake_case_identifiers(x) != 0.5",
    "a",
    "?!",
    "Kubernetes schedules pods on nodes. A node that is not ready gets no new pods; those on it are evicted after five minutes. " * 12,
]

gelu = np.vectorize(lambda x: 0.5 * x * (1 + erf(x / sqrt(2))))


class Model:
    def __init__(self, folder):
        self.w = tensors(folder + "/model.safetensors")
        self.tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * self.w[name + ".gamma"] + self.w[name + ".beta"]

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def layer(self, x, name):
        parts = [self.linear(x, name + "attention.self." + part) for part in ("query", "key", "value")]
        query, key, value = (part.reshape(-1, 2, 64).transpose(1, 0, 2) for part in parts)
        scores = query @ key.transpose(0, 2, 1) / 8
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(-1, 128)
        x = self.norm(self.linear(mixed, name + "attention.output.dense") + x, name + "attention.output.LayerNorm")
        inner = self.linear(gelu(self.linear(x, name + "intermediate.dense")), name + "output.dense")
        return self.norm(inner + x, name + "output.LayerNorm")

    def weights(self, text):
        ids = [101] + self.tokenizer.encode(text, add_special_tokens=False).ids[: CUT - 2] + [102]
        rows = self.w["bert.embeddings.word_embeddings.weight"]
        x = rows[ids] + self.w["bert.embeddings.position_embeddings.weight"][: len(ids)]
        x = self.norm(x + self.w["bert.embeddings.token_type_embeddings.weight"][0], "bert.embeddings.LayerNorm")
        for number in range(2):
            x = self.layer(x, f"bert.encoder.layer.{number}.")
        x = self.norm(gelu(self.linear(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm")
        logits = (x @ rows.T).max(0) + self.w["cls.predictions.bias"]
        return ids, np.log1p(np.maximum(logits, 0))


if __name__ == "__main__":
    model = Model(sys.argv[1])
    out = []
    for text in TEXTS:
        ids, weights = model.weights(text)
        found = {model.tokenizer.id_to_token(int(i)): round(float(weights[i]), 4) for i in np.flatnonzero(weights > 0.001)}
        out.append({"text": text, "pieces": ids, "weights": found})
    json.dump(out, sys.stdout, ensure_ascii=False, indent=1)
    print()
