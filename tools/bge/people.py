"""Reads what people really asked and told, for questions.py: sets that were published to train and test assistants.

people.tsv names each file with its repository on GitHub, the commit, the license and its SHA-256. Share-alike and
non-commercial sets are left out.
"""

import collections
import csv
import hashlib
import io
import json
import pathlib
import urllib.request

File = collections.namedtuple("File", "repository commit license reader path sha256")
SHORTEST, LONGEST = 3, 30  # words


def said(work):
    """The texts, each once, in the order of the files."""
    texts = {}
    for line in pathlib.Path(__file__).with_name("people.tsv").read_text().splitlines()[1:]:
        file = File(*line.split("\t"))
        for text in READERS[file.reader](downloaded(file, work).decode()):
            words = text.split()
            if SHORTEST <= len(words) <= LONGEST:
                texts[" ".join(words)] = True
    return list(texts)


def downloaded(file, work):
    path = pathlib.Path(work, "people", file.repository, file.path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/{file.path}") as answer:
            path.write_bytes(answer.read())
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise SystemExit(f"{path} is not what people.tsv names. Delete it to download it again.")
    return data


READERS = {
    "csv": lambda text: (row["text"] for row in csv.DictReader(io.StringIO(text))),
    "spans": lambda text: (row["userInput"]["text"] for row in json.loads(text)),
    "intents": lambda text: (row[0] for rows in json.loads(text).values() for row in rows),
    "factoids": lambda text: (row["qText"] for row in json.loads(text)),
}
