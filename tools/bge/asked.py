"""Makes questions for questions.py: words and spans of the texts, in forms in which people ask, with what they say before,
and pieces of sentences, as people type them into a search."""

import collections
import json
import pathlib
import random
import re

from sources import SOURCES, files

# {a} and {b} stand for anything, {n} for a noun, {v} for a verb, {p} for a person, {l} and {m} for places, {y} for a year.
FORMS = [
    [
        "what is {a}",
        "what is the {n} of {a}",
        "what are the benefits of {a}",
        "what does {a} mean",
        "what happens if {a} is lost",
        "what kind of {n} is {a}",
        "what is {a} used for",
        "which {n} has the most {b}",
        "what time does the {n} open",
        "what do I need for {a}",
    ],
    [
        "who invented {a}",
        "who plays {p} in the movie",
        "who is {p}",
        "who wrote about {a}",
        "who won the {n} in {y}",
        "who was the first {n} to visit {l}",
        "who sang the song {a}",
        "who is in charge of {a}",
    ],
    [
        "when did {p} die",
        "when was {a} first used",
        "when does the new {n} come out",
        "when did {l} become part of {m}",
        "what year did {a} start",
        "how long does {a} last",
        "how old was {p} when they became famous",
    ],
    [
        "where is {l}",
        "where can I find {a}",
        "where did {a} come from",
        "where does the {n} take place",
        "where is the {n} in the body",
        "where was {a} filmed",
        "how far is {l} from {m}",
        "is there {a} near {l}",
    ],
    [
        "how do I {v} {a}",
        "how many {n} are there in {l}",
        "how much does {a} cost",
        "how is {a} made",
        "how does {a} work",
        "how can I {v} my {n}",
        "how often should I {v} the {n}",
        "how did {p} become {b}",
    ],
    [
        "can I {v} {a} with {b}",
        "do you have {a}",
        "does {l} have {a}",
        "is {a} the same as {b}",
        "is it legal to {v} a {n} in {l}",
        "am I allowed to {v} {a}",
        "should I {v} {a} or {b}",
        "did {p} ever live in {l}",
        "are there {n} in {l}",
        "do I have to pay for {a}",
    ],
    [
        "tell me about {a}",
        "I want to {v} a {n}, what do I need",
        "what about {a}",
        "and {b}?",
        "why is {a} important",
        "what's the difference between {a} and {b}",
        "explain {a} to me",
        "I'm looking for {a} in {l}",
        "my {n} won't {v}",
        "list the {n} of {l}",
        "why did {p} leave {l}",
        "I am a {n}. Can I get help with {a}",
    ],
]
BEFORE = [""] * 30 + ["um ", "okay so ", "hi, ", "please tell me ", "i would like to know ", "could you tell me ", "and "]
STOP = set(
    "a an the of to in on at for and or is are was were be been by with from as that this these those it its their"
    " they he she his her you your we our i not no do does did can could will would should may might must have has"
    " had if then than so such into onto about over under which who whom whose what when where why how there here"
    " also only more most other any all some each s t".split()
)


def words_of_wordnet(work):
    """Its first words of each meaning: nouns, verbs, persons, places."""
    by = {"n": [], "v": [], "p": [], "l": []}
    for source in SOURCES:
        if source.reader != "wordnet":
            continue
        for _, text in files(source, work):
            for line in text.split("\n"):
                if not re.match(r"\d{8} ", line):
                    continue
                field = line.split(" | ")[0].split()
                word = re.sub(r"\(\w+\)", "", field[4].replace("_", " "))
                kind = {"n": "n", "v": "v"}.get(field[2])
                if field[2] == "n" and word[:1].isupper():
                    kind = {"18": "p", "15": "l"}.get(field[1], "n")
                if kind:
                    by[kind].append(word)
    return by


def spans(texts, chance):
    """One to three words that stand together in a text, none of them a function word."""
    found = []
    for text in texts:
        words = re.findall(r"[A-Za-z][A-Za-z'-]*|[.,;:!?()]", text)
        for _ in range(3):
            n = chance.choice((1, 2, 2, 3))
            start = chance.randrange(max(1, len(words) - n))
            some = words[start : start + n]
            if all(re.match("[A-Za-z]{3}", w) for w in some) and not any(w.lower() in STOP for w in some):
                found.append(" ".join(some))
    return found


def asked(work, n, seed):
    """So many different questions."""
    chance = random.Random(seed)
    by = words_of_wordnet(work)
    short, passages, _ = json.loads((pathlib.Path(work) / "texts.json").read_text())
    letters = re.compile(r"[a-z']+")
    seen = collections.Counter(w for t in short + passages for w in set(letters.findall(t.lower())))
    for kind, least in (("n", 6), ("v", 12)):
        by[kind] = [t for t in by[kind] if all(seen[w] >= least for w in letters.findall(t.lower()))]
    by["v"] = [v for v in by["v"] if " " not in v]
    by["s"] = spans(passages + short, chance)

    def pick(kinds):
        return chance.choice(by[chance.choice(kinds)])

    made = {}
    while len(made) < n:
        form = chance.choice(chance.choice(FORMS))
        anything = chance.choice(("", "the ", "a ", "my ", "")) + pick("s") if chance.random() < 0.5 else pick("nnnpl")
        text = chance.choice(BEFORE) + form.format(
            a=anything, b=pick("ns"), n=pick("n"), v=pick("v"), p=pick("p"), l=pick("l"), m=pick("l"), y=chance.randint(1850, 2025)
        )
        if chance.random() < 0.5:
            text = text.lower()
        if chance.random() < 0.5:
            text = text[:1].upper() + text[1:]
        if chance.random() < 0.6:
            text = text.rstrip("?") + "?"
        made[text] = True
    return list(made)


def typed(work, n, seed):
    """So many different pieces of sentences of the passages, of 4 to 16 words."""
    chance = random.Random(seed)
    _, passages, _ = json.loads((pathlib.Path(work) / "texts.json").read_text())
    made = {}
    while len(made) < n:
        words = chance.choice(passages).split()
        length = chance.randint(4, 16)
        start = chance.randrange(max(1, len(words) - length))
        text = " ".join(words[start : start + length]).strip('.,;:()"')
        if len(text) > 15 and sum(c.isalpha() for c in text) > 0.7 * len(text):
            made[text.lower() if chance.random() < 0.3 else text] = True
    return list(made)
