// <save-bar> stands at the end of a form, shows itself once something is changed,
// and asks before a person leaves with changes. Without this it is always there.
class SaveBar extends HTMLElement {
  connectedCallback() {
    this.form = this.closest("form");
    this.bar = this.querySelector(".savebar");
    if (!this.form || !this.bar) {
      return;
    }
    this.before = this.state();
    // What was refused is not saved: the page has an error beside a field, or above the form.
    // Nor is what the page was opened with to be edited.
    this.refused = document.querySelector("main .banner[role=alert]") !== null || this.form.querySelector("[aria-invalid=true]") !== null || this.form.hasAttribute("data-unsaved");
    this.form.addEventListener("input", () => this.show());
    this.form.addEventListener("change", () => this.show());
    this.form.addEventListener("reset", () => setTimeout(() => this.show()));
    this.form.addEventListener("submit", () => (this.leaving = true));
    this.ask = (event) => this.changed() && !this.leaving && event.preventDefault();
    addEventListener("beforeunload", this.ask);
    addEventListener("pageshow", () => (this.leaving = false));
    this.show();
  }

  disconnectedCallback() {
    removeEventListener("beforeunload", this.ask);
  }

  state() {
    return JSON.stringify([...new FormData(this.form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));
  }

  changed() {
    return this.refused || this.state() !== this.before;
  }

  show() {
    this.bar.hidden = !this.changed();
    const labels = new Set();
    for (const input of this.form.elements) {
      const now = input.type === "checkbox" || input.type === "radio" ? input.checked !== input.defaultChecked : input.options ? [...input.options].some((o) => o.selected !== o.defaultSelected) : input.value !== input.defaultValue;
      if (now && input.name && input.labels?.length) {
        labels.add((input.closest("fieldset[data-name]")?.dataset.name ?? input.labels[0].textContent).trim());
      }
    }
    const says = this.querySelector("[data-changes]");
    if (says && labels.size > 0) {
      says.textContent = `Unsaved: ${[...labels].slice(0, 3).join(", ")}${labels.size > 3 ? ` and ${labels.size - 3} more` : ""}.`;
    }
  }
}
customElements.define("save-bar", SaveBar);
