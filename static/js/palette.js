// ⌘K or Ctrl K finds chatbots, pages, documents and conversations; "/" does, too,
// and "?" lists the keys. "g" and a letter go to a page of the sidebar.
import { recent } from "./recent.js";

const palette = document.getElementById("palette");
const keys = document.getElementById("keys");
const typing = (element) => Boolean(element.closest?.("input, textarea, select, [contenteditable]"));

if (!/Mac|iP(hone|ad)/.test(navigator.platform)) {
  document.querySelectorAll("kbd").forEach((key) => (key.textContent = key.textContent.replace("⌘", "Ctrl ")));
}

const option = (item, at) => {
  const made = document.getElementById("palette-pattern").content.firstElementChild.cloneNode(true);
  made.id = `palette-${at}`;
  made.dataset.url = item.url;
  made.querySelector("use").setAttribute("href", `${palette.dataset.icons}#${item.icon}`);
  made.querySelector("span").textContent = item.text;
  made.querySelector("small").textContent = item.about || "";
  return made;
};

class Finder {
  constructor() {
    this.input = palette.querySelector("input");
    this.list = palette.querySelector("[role=listbox]");
    this.none = palette.querySelector(".none");
    this.links = [...document.querySelectorAll(".sidebar a[data-icon], #palette a[data-icon]")].map((link) => ({
      text: link.dataset.name || link.textContent.trim(), icon: link.dataset.icon, url: link.getAttribute("href"), about: link.dataset.about || "Page",
    }));
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("click", (event) => this.go(event.target.closest("[role=option]")));
    this.list.addEventListener("pointermove", (event) => this.choose(event.target.closest("[role=option]")));
    palette.addEventListener("close", () => {
      this.control?.abort();
      this.input.blur();
    });
  }

  open() {
    this.input.value = "";
    this.asking = false;
    this.show([]);
    palette.showModal();
  }

  local() {
    const words = this.input.value.trim().toLowerCase().split(/\s+/);
    const seen = new Set([location.pathname]);
    return [...recent(), ...this.links].filter((link) => {
      const fresh = !seen.has(link.url);
      seen.add(link.url);
      return fresh && words.every((word) => `${link.text} ${link.about}`.toLowerCase().includes(word));
    });
  }

  show(found, away = false) {
    const local = this.local();
    const all = [...local, ...found.filter((item) => !local.some((link) => link.url === item.url))].slice(0, 30);
    this.list.replaceChildren(...all.map(option));
    this.none.hidden = !away && (all.length > 0 || this.asking);
    this.none.textContent = away ? this.none.dataset.away : this.none.dataset.nothing;
    this.choose(this.list.firstElementChild);
  }

  ask() {
    clearTimeout(this.timer);
    this.control?.abort();
    const text = this.input.value.trim();
    this.asking = text.length > 1;
    this.show([]);
    if (this.asking) {
      this.timer = setTimeout(() => this.fetch(text), 150);
    }
  }

  async fetch(text) {
    this.control = new AbortController();
    try {
      const address = new URL(palette.dataset.find, location.href);
      address.searchParams.set("q", text);
      const response = await fetch(address, { credentials: "same-origin", signal: this.control.signal });
      if (!response.ok) {
        throw new Error(`status ${response.status}`);
      }
      const found = (await response.json()).data.found;
      this.asking = false;
      this.show(found);
    } catch (failure) {
      if (failure.name !== "AbortError") {
        this.asking = false;
        this.show([], true);
      }
    }
  }

  choose(chosen) {
    if (!chosen && this.list.firstElementChild) {
      return;
    }
    for (const item of this.list.children) {
      item.setAttribute("aria-selected", String(item === chosen));
    }
    if (chosen) {
      this.input.setAttribute("aria-activedescendant", chosen.id);
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  key(event) {
    const all = [...this.list.children];
    const at = all.findIndex((item) => item.getAttribute("aria-selected") === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && all.length > 0) {
      event.preventDefault();
      const next = all[(at + step + all.length) % all.length];
      this.choose(next);
      next.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      this.go(all[at], event.metaKey || event.ctrlKey);
    }
  }

  go(chosen, beside = false) {
    if (!chosen) {
      return;
    }
    palette.close();
    if (beside) {
      open(chosen.dataset.url, "_blank", "noopener");
    } else {
      location.assign(chosen.dataset.url);
    }
  }
}

const finder = palette && new Finder();
let going = false;
for (const button of finder ? document.querySelectorAll("[data-palette]") : []) {
  button.addEventListener("click", () => {
    button.closest("[popover]")?.hidePopover();
    finder.open();
  });
}
addEventListener("keydown", (event) => {
  if (finder && event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    palette.open ? palette.close() : document.querySelector("dialog[open]") || finder.open();
    return;
  }
  if (event.metaKey || event.ctrlKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) {
    return;
  }
  if (going) {
    going = false;
    document.querySelector(`.sidebar a[data-key="${CSS.escape(event.key)}"]`)?.click();
  } else if (event.key === "g") {
    going = true;
    setTimeout(() => (going = false), 1_200);
  } else if (event.key === "/" && finder) {
    event.preventDefault();
    (document.querySelector("main input[type=search]") ?? { focus: () => finder.open() }).focus();
  } else if (event.key === "?" && keys) {
    event.preventDefault();
    keys.showModal();
  }
});
