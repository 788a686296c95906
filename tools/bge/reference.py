"""Writes what ONNX Runtime makes of some texts, for the tests of text/encode/bge: python reference.py MODEL.onnx TOKENIZER.json OUT.json"""

import json
import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

TEXTS = [
    "How do I back up my data?",
    "Represent this sentence for searching relevant passages: what does it cost to send a parcel to Norway",
    "Prices\n\nA naïve café — “quotes” and x_y-z: foo.bar(1) costs 12 € or $13.50. 東京 Straße",
    "The company was founded in 1976 by Steve Jobs. It makes phones in California. " * 12,
    "a",
]

if __name__ == "__main__":
    model, tokenizer, path = sys.argv[1:]
    tokenizer = Tokenizer.from_file(tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(160)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    cases = []
    for text in TEXTS:
        pieces = tokenizer.encode(text).ids
        ids = np.array([pieces], np.int64)
        state = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0][0, 0]
        vector = [round(float(x), 4) for x in state / np.linalg.norm(state)]
        cases.append({"text": text, "pieces": pieces, "vector": vector})
    with open(path, "w") as file:
        json.dump(cases, file, ensure_ascii=False)
