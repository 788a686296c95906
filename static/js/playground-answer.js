// One answer on the page: plain text while it streams, and then what the server's
// sanitizer made of it, with a chip for each citation.
import { toast } from "./parley.js";
import { call, Refused } from "./playground-stream.js";

export const part = (root, name) => root.querySelector(`[data-part="${name}"]`);

const outcomes = {
  answered: ["Answered", "good"],
  no_answer: ["No answer", "warn"],
  failed: ["Failed", "danger"],
  stopped: ["Stopped", ""],
  interrupted: ["Interrupted", "warn"],
};

// badge shows an outcome.
export const badge = (element, outcome) => {
  const [text, tone] = outcomes[outcome] ?? ["", ""];
  element.textContent = text;
  element.className = `badge ${tone}`;
  element.hidden = text === "";
};

const marker = /\[(\d{1,3})\]/g;

// chips puts a chip in the place of each marker that stands for a passage.
const chips = (root, passages, make) => {
  const known = new Set(passages.map((passage) => passage.number));
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest("code, pre, a")) {
      texts.push(walker.currentNode);
    }
  }
  for (const text of texts) {
    let from = 0;
    const pieces = [];
    for (const match of text.data.matchAll(marker)) {
      const number = Number(match[1]);
      if (known.has(number)) {
        pieces.push(text.data.slice(from, match.index), make(number));
        from = match.index + match[0].length;
      }
    }
    if (pieces.length > 0) {
      text.replaceWith(...pieces, text.data.slice(from));
    }
  }
};

// ways are what a person can do about a refusal, by its code.
const way = (failure, places, again) => {
  const link = document.createElement(failure.code === 1 || failure.code === 7 ? "a" : "button");
  if (failure.code === 1) {
    link.href = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
    link.textContent = "Sign in";
  } else if (failure.code === 7) {
    link.href = places.plans;
    link.textContent = "See the plans";
  } else {
    link.type = "button";
    link.className = "button small";
    link.textContent = "Ask again";
    link.addEventListener("click", again);
  }
  return link;
};

let made = 0;

export class Answer {
  constructor(element, { places, which, onInspect, onMark, onAgain, onSettle }) {
    this.element = element;
    this.places = places;
    this.text = "";
    this.which = which;
    this.inspection = null;
    this.onMark = onMark;
    this.onAgain = onAgain;
    this.onSettle = onSettle;
    this.rated = null;
    this.format = "html";
    part(element, "which").textContent = which ?? "";
    part(element, "which").hidden = !which;
    this.onInspect = onInspect;
    made += 1;
    element.querySelector("textarea").id = `comment-${made}`;
    element.querySelector("label").htmlFor = `comment-${made}`;
    element.querySelector('[data-act="inspect"]').addEventListener("click", () => onInspect(this, true));
    element.querySelector('[data-act="copy"]').addEventListener("click", (event) => this.copy(event.currentTarget));
    for (const button of element.querySelectorAll("[data-rate]")) {
      button.addEventListener("click", () => this.rate(button.dataset.rate));
    }
    part(element, "comment").addEventListener("submit", (event) => {
      event.preventDefault();
      this.comment();
    });
  }

  // take is told of each event of the stream.
  take(event) {
    switch (event.type) {
      case "waiting":
        part(this.element, "waiting-text").textContent = event.content;
        break;
      case "delta":
        part(this.element, "waiting").hidden = true;
        this.text += event.content;
        part(this.element, "text").textContent = this.text;
        part(this.element, "text").classList.add("raw");
        break;
      case "inspect":
        this.settle(event.inspect);
        break;
      case "error":
        this.fail(new Refused(event.error_message, event.error));
        break;
    }
  }

  // settle shows the whole answer.
  settle(inspection) {
    this.inspection = this.onSettle(inspection);
    this.element.setAttribute("aria-busy", "false");
    part(this.element, "waiting").hidden = true;
    part(this.element, "after").hidden = false;
    badge(part(this.element, "after").querySelector(".badge"), inspection.outcome === "answered" ? "" : inspection.outcome);
    this.show(this.format);
    this.onInspect(this, false);
  }

  // recall shows what a person thought of the answer.
  recall(rating, comment) {
    this.rated = rating || null;
    for (const button of this.element.querySelectorAll("[data-rate]")) {
      button.setAttribute("aria-pressed", String(button.dataset.rate === this.rated));
    }
    part(this.element, "comment").hidden = this.rated !== "down";
    if (comment) {
      part(this.element, "comment").querySelector("textarea").value = comment;
    }
  }

  // show writes the answer in a format.
  show(format) {
    this.format = format;
    if (!this.inspection) {
      return;
    }
    const place = part(this.element, "text");
    place.classList.toggle("raw", format !== "html");
    if (format === "html") {
      // The server's sanitizer made it: see package format.
      const made = new DOMParser().parseFromString(this.inspection.html, "text/html").body;
      for (const link of made.querySelectorAll("a[href]")) {
        link.target = "_blank";
      }
      chips(made, this.inspection.passages, (number) => this.chip(number));
      place.replaceChildren(...made.childNodes);
    } else {
      place.textContent = this.written();
    }
  }

  // written is what a program reads in the format.
  written() {
    return { html: this.inspection?.html, plain_text: this.inspection?.plain_text }[this.format] ?? this.text;
  }

  chip(number) {
    const passage = this.inspection.passages.find((passage) => passage.number === number);
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.textContent = number;
    chip.title = passage.title;
    chip.setAttribute("aria-label", `Source ${number}: ${passage.title}`);
    if (passage.text) {
      chip.title = `${passage.title}\n${passage.text.slice(0, 280)}${passage.text.length > 280 ? "…" : ""}`;
    }
    for (const name of ["pointerenter", "focus"]) {
      chip.addEventListener(name, () => this.onMark(this, number, false));
    }
    chip.addEventListener("click", () => this.onMark(this, number, true));
    return chip;
  }

  fail(failure) {
    this.element.setAttribute("aria-busy", "false");
    part(this.element, "waiting").hidden = true;
    part(this.element, "failure").hidden = false;
    part(this.element, "failure-text").textContent = failure.message;
    part(this.element, "failure-way").replaceChildren(way(failure, this.places, () => this.onAgain(this)));
  }

  get failed() {
    return !part(this.element, "failure").hidden;
  }

  async copy(button) {
    try {
      await navigator.clipboard.writeText(this.written());
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 2_500);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(part(this.element, "text"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }
  }

  async rate(rating) {
    const next = this.rated === rating ? null : rating;
    if (await this.send(next, "")) {
      this.recall(next);
      if (next === "down") {
        part(this.element, "comment").querySelector("textarea").focus();
      }
    }
  }

  async comment() {
    const form = part(this.element, "comment");
    if (await this.send("down", form.querySelector("textarea").value)) {
      part(this.element, "comment-status").textContent = "Saved. Review it in Improve.";
    }
  }

  async send(rating, comment) {
    try {
      await call("POST", `${this.places.api}/messages/${this.inspection.message_id}/feedback`, { rating, comment });
      return true;
    } catch (failure) {
      toast(failure.message, { danger: true });
      return false;
    }
  }
}
