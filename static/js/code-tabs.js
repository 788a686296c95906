// <code-tabs> shows one sample at a time, and remembers which language a person
// chose. Without this, all are below one another.
const key = "parley-language";

class CodeTabs extends HTMLElement {
  connectedCallback() {
    const samples = [...this.querySelectorAll(".sample")];
    const box = this.querySelector(".codetabs");
    if (samples.length < 2 || !box || this.list) {
      return;
    }
    this.list = document.createElement("div");
    this.list.className = "tabs";
    this.list.setAttribute("role", "tablist");
    this.list.setAttribute("aria-label", this.getAttribute("label") || "Language");
    this.tabs = samples.map((sample) => this.tab(sample));
    this.list.append(...this.tabs);
    box.prepend(this.list);
    box.classList.add("alive");
    this.samples = samples;
    this.list.addEventListener("keydown", (event) => this.move(event));
    const kept = samples.findIndex((sample) => sample.dataset.name === localStorage.getItem(key));
    this.choose(Math.max(0, kept));
  }

  tab(sample) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", sample.id);
    tab.id = `${sample.id}-tab`;
    tab.textContent = sample.dataset.name;
    sample.setAttribute("role", "tabpanel");
    sample.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => {
      this.choose(this.tabs.indexOf(tab));
      localStorage.setItem(key, sample.dataset.name);
    });
    return tab;
  }

  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const at = (this.tabs.indexOf(document.activeElement) + step + this.tabs.length) % this.tabs.length;
      this.tabs[at].focus();
      this.tabs[at].click();
    }
  }

  choose(at) {
    this.samples.forEach((sample, i) => {
      sample.hidden = i !== at;
      this.tabs[i].setAttribute("aria-selected", String(i === at));
      this.tabs[i].tabIndex = i === at ? 0 : -1;
    });
  }
}
customElements.define("code-tabs", CodeTabs);
