// Fills the inspector with how an answer was made.
import { badge, part } from "./playground-answer.js";

const whole = new Intl.NumberFormat("en-US");
const seconds = (ms) => (ms < 1_000 ? `${whole.format(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
const copyOf = (name) => document.querySelector(`template[data-pattern="${name}"]`).content.firstElementChild.cloneNode(true);
const many = (n, one, more) => `${whole.format(n)} ${n === 1 ? one : more}`;

const checksOf = (i) => {
  const all = [];
  all.push(
    i.removed_citations > 0
      ? ["warning", `${many(i.removed_citations, "citation", "citations")} removed: the passage doesn't say so.`]
      : ["check", "Every citation points to a passage that was found."],
  );
  if (i.grounding !== "strict") {
    all.push(["check", "Strictness is open: the answer may go beyond the knowledge."]);
  } else if (!i.checked) {
    all.push(["check", "Strict: sentences that no passage supports are left out."]);
  } else if (i.replaced) {
    all.push(["warning", "Strict: the passages supported nothing of the answer, so your own text was said."]);
  } else if (i.dropped_sentences > 0) {
    all.push(["warning", `Strict: ${many(i.dropped_sentences, "sentence", "sentences")} left out that no passage supports.`]);
  } else {
    all.push(["check", "Strict: the passages support every sentence."]);
  }
  return all;
};

const factsOf = (i) => [
  ["Model", i.provider ? `${i.model} · ${i.provider}` : i.model || "–"],
  ["First text", i.first_token_ms ? seconds(i.first_token_ms) : "–"],
  ["Whole answer", seconds(i.total_ms)],
  ["Prompt", `${many(i.prompt_tokens, "token", "tokens")}${i.estimated ? ", estimated" : ""}`],
  ["Answer", many(i.completion_tokens, "token", "tokens")],
  ...(i.rerank_tokens ? [["Of these, for ordering the passages", many(i.rerank_tokens, "token", "tokens")]] : []),
];

const passageOf = (passage, knowledge) => {
  const made = copyOf("passage");
  made.dataset.number = passage.number;
  made.classList.toggle("uncited", !passage.cited);
  part(made, "number").textContent = passage.number;
  part(made, "title").textContent = passage.title || "Untitled";
  part(made, "title").href = `${knowledge}/${encodeURIComponent(passage.document_id)}`;
  part(made, "score").textContent = passage.score ? passage.score.toFixed(2) : "";
  const path = [...passage.heading_path.filter((heading, at) => at > 0 || heading !== passage.title), passage.place].filter(Boolean);
  part(made, "path").textContent = [path.join(" › "), passage.cited ? "" : "not cited"].filter(Boolean).join(" · ");
  part(made, "text").textContent = passage.text || "The document has changed since, or was removed.";
  const more = made.querySelector('[data-act="more"]');
  more.hidden = (passage.text ?? "").length < 320;
  more.addEventListener("click", () => {
    const open = made.classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? "Show less" : "Show all";
  });
  return made;
};

// inspect returns an inspection as elements.
export const inspect = (inspection, knowledge, which) => {
  const made = copyOf("inspection");
  part(made, "heading").textContent = which ? `How it was made: ${which.toLowerCase()}` : "How it was made";
  badge(made.querySelector(".badge"), inspection.outcome);
  part(made, "query").hidden = !inspection.query;
  part(made, "query-text").textContent = inspection.query ?? "";
  const cited = inspection.passages.filter((passage) => passage.cited).length;
  part(made, "passages-title").textContent = inspection.passages.length === 0 ? "No passage was found" : `${many(inspection.passages.length, "passage", "passages")}, ${cited} cited`;
  part(made, "passages").replaceChildren(...inspection.passages.map((passage) => passageOf(passage, knowledge)));
  part(made, "checks").replaceChildren(
    ...checksOf(inspection).map(([pattern, text]) => {
      const line = copyOf(pattern);
      part(line, "text").textContent = text;
      return line;
    }),
  );
  part(made, "facts").replaceChildren(
    ...factsOf(inspection).flatMap(([name, value]) => {
      const term = document.createElement("dt");
      const about = document.createElement("dd");
      term.textContent = name;
      about.textContent = value;
      return [term, about];
    }),
  );
  return made;
};

// mark shows which passage a chip stands for.
export const mark = (place, number) => {
  for (const passage of place.querySelectorAll(".passage")) {
    const marked = passage.dataset.number === String(number);
    passage.classList.toggle("marked", marked);
    if (marked) {
      passage.scrollIntoView({ block: "nearest" });
    }
  }
};
