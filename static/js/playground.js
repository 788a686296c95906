// <parley-playground> talks with a chatbot. What the server said is in the thread;
// the tab's storage has only which conversation it is, so that a reload goes on
// where it was, in the middle of an answer, too.
import { Answer } from "./playground-answer.js";
import { inspect, mark } from "./playground-inspector.js";
import { ask, call, resume, Refused } from "./playground-stream.js";

const copyOf = (name) => document.querySelector(`template[data-pattern="${name}"]`).content.firstElementChild.cloneNode(true);

// mostKept is how many answers the tab remembers something of.
const mostKept = 50;

class Playground extends HTMLElement {
  connectedCallback() {
    this.places = { api: this.dataset.api, plans: this.dataset.plans, knowledge: this.dataset.knowledge };
    this.thread = this.querySelector(".thread");
    this.start = this.querySelector(".start");
    this.place = this.querySelector(".inspected");
    this.sheet = document.getElementById("inspector-sheet");
    this.form = this.querySelector(".composer");
    this.question = document.getElementById("question");
    this.narrow = matchMedia("(max-width: 1099.98px)");
    this.key = `parley-playground:${this.dataset.chatbot}`;
    this.kept = JSON.parse(sessionStorage.getItem(this.key) ?? "{}");
    this.answers = [];
    this.running = new Set();
    this.listen();
    this.showDraft();
    this.restore();
    if (!this.narrow.matches) {
      this.question.focus();
    }
  }

  keep(changes) {
    this.kept = { ...this.kept, ...changes };
    sessionStorage.setItem(this.key, JSON.stringify(this.kept));
  }

  listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.question.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.send();
      }
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.running.size > 0 && !document.querySelector("dialog[open]")) {
        this.stop();
      }
    });
    document.getElementById("stop").addEventListener("click", () => this.stop());
    document.getElementById("new-conversation").addEventListener("click", () => this.renew());
    for (const input of document.querySelectorAll('input[name="format"]')) {
      input.addEventListener("change", () => this.answers.forEach((answer) => answer.show(input.value)));
    }
    document.getElementById("open-code").addEventListener("click", () => this.writeCode());
    document.getElementById("compare")?.addEventListener("click", () => this.compare());
    this.querySelector('[data-act="leave-draft"]').addEventListener("click", () => this.leaveDraft());
    this.sheet.addEventListener("close", () => this.querySelector(".inspector").append(this.place));
  }

  get format() {
    return document.querySelector('input[name="format"]:checked').value;
  }

  // Conversations.

  async restore() {
    const { live } = this.kept;
    if (!live) {
      this.suggest();
      return;
    }
    try {
      const { turns } = await call("GET", `${this.places.api}/playground/conversations/${live}/messages`);
      if (turns.length === 0) {
        throw new Refused("There is nothing in it.", 3);
      }
      const beside = await this.drafted(turns);
      for (const turn of turns) {
        const other = beside.get(String(turn.message_id));
        const answers = this.turn(turn.question, other ? [null, other] : [null]);
        [{ ...turn, conversation: live }, other].filter(Boolean).forEach((told, at) => this.retell(answers[at], told));
      }
      this.suggestNext();
    } catch (failure) {
      if (failure.code === 3) { // it is kept no longer
        this.keep({ live: null, draft: null });
      }
      this.thread.replaceChildren(this.start);
      this.suggest();
    }
  }

  // retell shows an answer of before.
  retell(answer, turn) {
    if (!turn.inspect) {
      this.run(answer, resume(this.places.api, turn.conversation, (event) => answer.take(event)), turn.conversation);
      return;
    }
    answer.text = turn.answer;
    answer.settle(turn.inspect);
    answer.recall(turn.rating, turn.comment);
  }

  // drafted are the answers of drafts beside live ones, by the live ones' ids.
  async drafted(turns) {
    const shown = new Set(turns.map((turn) => String(turn.message_id)));
    const pairs = (this.kept.pairs ?? []).filter((pair) => shown.has(pair.live) && pair.draft);
    const found = new Map();
    await Promise.all(
      [...new Set(pairs.map((pair) => pair.conversation))].map(async (conversation) => {
        const { turns } = await call("GET", `${this.places.api}/playground/conversations/${conversation}/messages`).catch(() => ({ turns: [] }));
        for (const turn of turns) {
          const pair = pairs.find((pair) => pair.draft === String(turn.message_id));
          if (pair) {
            found.set(pair.live, { ...turn, conversation });
          }
        }
      }),
    );
    return found;
  }

  // settled keeps what the checks did, which the server doesn't, and adds it to what
  // is read back.
  settled(inspection) {
    const { message_id: id, checked, dropped_sentences, replaced } = inspection;
    const known = this.kept.checks ?? [];
    if (!checked) {
      return { ...inspection, ...known.find((check) => check.id === id)?.did };
    }
    this.keep({ checks: [...known.filter((check) => check.id !== id), { id, did: { checked, dropped_sentences, replaced } }].slice(-mostKept) });
    return inspection;
  }

  // count shows how many questions are left of the month.
  count(asked) {
    const place = this.querySelector("[data-left]");
    if (place) {
      place.dataset.left = Number(place.dataset.left) - asked;
      place.querySelector("b").textContent = new Intl.NumberFormat("en-US").format(Math.max(0, place.dataset.left));
    }
  }

  async suggest() {
    const place = this.start.querySelector(".suggestions");
    if (!place) {
      return;
    }
    try {
      const { questions, welcome } = await call("GET", `${this.places.api}/suggestions`);
      this.start.querySelector('[data-part="welcome"]').textContent = welcome;
      this.offer(place, questions);
    } catch {
      place.replaceChildren(); // they are a help, and no more
    }
    place.setAttribute("aria-busy", "false");
  }

  // offer makes buttons of questions.
  offer(place, questions) {
    place.replaceChildren(
      ...questions.map((question) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "suggestion";
        button.textContent = question;
        button.addEventListener("click", () => this.send(question));
        return button;
      }),
    );
  }

  // suggestNext offers what may follow the last answer, of which the live one counts.
  suggestNext() {
    this.thread.querySelector(".follow-ups")?.remove();
    const turn = this.thread.querySelector(".turn:last-of-type");
    const answer = this.answers.find((answer) => turn?.contains(answer.element));
    const questions = answer?.inspection?.suggestions ?? [];
    if (questions.length > 0 && this.running.size === 0) {
      const made = copyOf("follow-ups");
      this.offer(made.querySelector(".suggestions"), questions);
      turn.append(made);
    }
  }

  renew() {
    this.stop();
    this.keep({ live: null, draft: null, pairs: [], checks: [] });
    this.answers = [];
    this.thread.replaceChildren(this.start);
    this.place.replaceChildren();
    this.suggest();
    this.question.focus();
  }

  // turn adds a question with room for its answers: one of the live settings, and
  // one of a draft if there is one.
  turn(question, drafts) {
    const made = copyOf("turn");
    made.querySelector(".question").textContent = question;
    this.start.remove();
    const answers = drafts.map((draft, at) => {
      const element = copyOf("answer");
      made.querySelector(".answers").append(element);
      const answer = new Answer(element, {
        places: this.places,
        which: drafts.length > 1 ? ["Live", "Draft"][at] : null,
        onInspect: (of, opens) => this.inspect(of, opens),
        onMark: (of, number, opens) => this.mark(of, number, opens),
        onAgain: () => this.send(question),
        onSettle: (inspection) => this.settled(inspection),
      });
      answer.format = this.format;
      return answer;
    });
    this.thread.querySelector(".follow-ups")?.remove();
    made.querySelector(".answers").classList.toggle("two", drafts.length > 1);
    this.answers.push(...answers);
    this.thread.append(made);
    made.scrollIntoView({ block: "end" });
    return answers;
  }

  send(given) {
    const message = (given ?? this.question.value).trim();
    if (message === "" || this.running.size > 0 || this.question.disabled) {
      return;
    }
    if (given === undefined) {
      this.question.value = "";
    }
    const drafts = this.kept.settings ? [null, this.kept.settings] : [null];
    const pair = {};
    this.count(drafts.length);
    this.turn(message, drafts).forEach((answer, at) => {
      const name = at === 0 ? "live" : "draft";
      const body = { message };
      if (this.kept[name]) {
        body.conversation_id = this.kept[name];
      }
      if (drafts[at]) {
        body.draft = drafts[at];
      }
      const events = ask(this.places.api, body, (event, id) => {
        if (event.conversation_id) {
          this.keep({ [name]: event.conversation_id });
          answer.conversation = event.conversation_id;
        }
        if (drafts.length > 1 && id && !pair[name]) {
          this.pair(Object.assign(pair, { [name]: id }, at === 1 && { conversation: answer.conversation }));
        }
        answer.take(event);
        this.follow();
      });
      this.run(answer, events, this.kept[name]);
    });
    this.question.focus();
  }

  // pair keeps which answers stand side by side, so that a reload shows them so.
  pair(pair) {
    if (pair.live && pair.draft) {
      this.keep({ pairs: [...(this.kept.pairs ?? []), { ...pair }].slice(-mostKept) });
    }
  }

  // run waits for the end of an answer.
  async run(answer, events, conversation) {
    answer.conversation = conversation;
    this.running.add(answer);
    this.busy();
    try {
      await events;
      document.querySelector('[data-part="said"]').textContent = answer.inspection?.plain_text ?? "";
    } catch (failure) {
      answer.fail(failure instanceof Refused ? failure : new Refused("Something went wrong on this page. Try again.", 0));
      if (failure.code > 0) { // it was refused, and is not counted
        this.count(-1);
      }
      if (failure.code === 3) { // the conversation is kept no longer
        this.keep({ live: null, draft: null });
      }
    } finally {
      this.running.delete(answer);
      this.busy();
      this.suggestNext();
      this.follow();
    }
  }

  busy() {
    const running = this.running.size > 0;
    const focused = document.activeElement?.id === "stop";
    document.getElementById("stop").hidden = !running;
    document.getElementById("ask").hidden = running;
    if (focused && !running) {
      this.question.focus();
    }
  }

  // follow keeps the end in view, unless a person reads further up.
  follow() {
    const { scrollHeight, scrollTop, clientHeight } = this.thread;
    if (scrollHeight - scrollTop - clientHeight < 160) {
      this.thread.scrollTop = scrollHeight;
    }
  }

  async stop() {
    for (const answer of this.running) {
      if (answer.conversation) {
        call("POST", `${this.places.api}/playground/conversations/${answer.conversation}/stop`).catch((failure) => answer.fail(failure));
      }
    }
  }

  // The inspector.

  inspect(answer, opens) {
    if (!opens && this.answers.at(-1) !== answer && this.answers.at(-2) !== answer) {
      return;
    }
    if (!answer.inspection) {
      return;
    }
    this.inspected = answer;
    for (const other of this.answers) {
      other.element.classList.toggle("inspected-one", other === answer);
    }
    this.place.replaceChildren(inspect(answer.inspection, this.places.knowledge, answer.which));
    if (opens && this.narrow.matches) {
      this.sheet.querySelector(".inside").append(this.place);
      this.sheet.showModal();
    } else if (opens) {
      this.querySelector(".inspector").scrollTop = 0;
    }
  }

  mark(answer, number, opens) {
    if (this.inspected !== answer || (opens && this.narrow.matches)) {
      this.inspect(answer, opens && this.narrow.matches);
      this.inspected === answer || this.inspect(answer, true);
    }
    mark(this.place, number);
  }

  // Drafts.

  settings() {
    const form = document.getElementById("draft");
    const { instructions, no_answer, provider_id, model, grounding, temperature } = form.elements;
    return {
      instructions: instructions.value,
      no_answer: no_answer.value,
      provider_id: provider_id.value === "own" ? "" : provider_id.value,
      model: model.value,
      grounding: grounding.value,
      temperature: temperature.value === "" ? null : Number(temperature.value),
    };
  }

  compare() {
    this.keep({ settings: this.settings(), draft: null });
    document.getElementById("drafts").close();
    this.showDraft();
    this.question.focus();
  }

  leaveDraft() {
    this.keep({ settings: null, draft: null });
    this.showDraft();
  }

  showDraft() {
    const { settings } = this.kept;
    const form = document.getElementById("draft");
    this.querySelector(".beside").hidden = !settings || !form;
    if (settings && form && !document.getElementById("drafts").dataset.refused) {
      for (const name of ["instructions", "no_answer", "model", "grounding"]) {
        form.elements[name].value = settings[name];
      }
      form.elements.provider_id.value = settings.provider_id || "own";
      form.elements.temperature.value = settings.temperature ?? "";
    }
    if (form && !this.leaves) {
      this.leaves = true;
      form.addEventListener("submit", () => this.keep({ settings: null, draft: null }));
    }
  }

  // The same question from a program.

  writeCode() {
    const question = JSON.stringify(this.answers.at(-1)?.element.closest(".turn").querySelector(".question").textContent ?? "When do you open?");
    for (const code of document.querySelectorAll("#code code")) {
      code.dataset.pattern ??= code.textContent;
      const quoted = code.id.includes("curl") ? question.replaceAll("'", "'\\''") : question;
      code.textContent = code.dataset.pattern.replace("FORMAT", () => JSON.stringify(this.format)).replace("QUESTION", () => quoted);
    }
  }
}
customElements.define("parley-playground", Playground);
