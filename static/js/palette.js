// ⌘K or Ctrl K finds chatbots, pages, documents and conversations; "/" does, too,
// and "?" lists the keys. "g" and a letter go to a page of the sidebar.
const palette = document.getElementById("palette");
const keys = document.getElementById("keys");
const typing = (element) => Boolean(element.closest?.("input, textarea, select, [contenteditable]"));

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
    palette.addEventListener("close", () => this.control?.abort());
  }

  open() {
    this.input.value = "";
    this.show([]);
    palette.showModal();
  }

  local() {
    const words = this.input.value.trim().toLowerCase().split(/\s+/);
    const seen = new Set();
    return this.links.filter((link) => {
      const fresh = !seen.has(link.url);
      seen.add(link.url);
      return fresh && words.every((word) => `${link.text} ${link.about}`.toLowerCase().includes(word));
    });
  }

  show(found) {
    const all = [...this.local(), ...found].slice(0, 30);
    this.list.replaceChildren(...all.map(option));
    this.none.hidden = all.length > 0 || this.asking;
    this.choose(this.list.firstElementChild);
  }

  ask() {
    clearTimeout(this.timer);
    this.control?.abort();
    const text = this.input.value.trim();
    this.asking = text.length > 1 && palette.dataset.find !== "";
    this.show([]);
    if (this.asking) {
      this.timer = setTimeout(() => this.fetch(text), 150);
    }
  }

  async fetch(text) {
    this.control = new AbortController();
    try {
      const { signal } = this.control;
      const answers = await Promise.all(
        palette.dataset.find.split(" ").map(async (address) => {
          const response = await fetch(`${address}?q=${encodeURIComponent(text)}`, { credentials: "same-origin", signal });
          return (await response.json()).data?.found ?? [];
        }),
      );
      this.asking = false;
      this.show(answers.flat());
    } catch (failure) {
      if (failure.name !== "AbortError") {
        this.asking = false;
        this.show([]);
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
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.go(all[at]);
    }
  }

  go(chosen) {
    if (chosen) {
      palette.close();
      location.assign(chosen.dataset.url);
    }
  }
}

if (palette) {
  const finder = new Finder();
  let going = false;
  for (const button of document.querySelectorAll("[data-palette]")) {
    button.addEventListener("click", () => finder.open());
  }
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      palette.open ? palette.close() : finder.open();
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
    } else if (event.key === "/") {
      event.preventDefault();
      (document.querySelector("main input[type=search]") ?? { focus: () => finder.open() }).focus();
    } else if (event.key === "?") {
      event.preventDefault();
      keys.showModal();
    }
  });
}
