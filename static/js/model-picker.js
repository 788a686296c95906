// <model-picker> makes a list of real models of the input for a model's name: those
// that the chosen provider lists. Where none are listed, the name is typed.
class ModelPicker extends HTMLElement {
  connectedCallback() {
    this.provider = this.querySelector(`[name="${this.getAttribute("provider")}"]`);
    this.input = this.querySelector(`[name="${this.getAttribute("model")}"]`);
    this.address = this.closest("[data-models]")?.dataset.models;
    if (!this.provider || !this.input || !this.address || this.input.disabled || this.provider.closest("fieldset:disabled")) {
      return;
    }
    this.label = this.querySelector(`label[for="${this.input.id}"]`);
    this.list = document.createElement("select");
    this.list.className = "input";
    this.list.id = `${this.input.id}-list`;
    this.list.hidden = true;
    this.status = document.createElement("p");
    this.status.className = "hint";
    this.status.setAttribute("role", "status");
    this.input.after(this.list, this.status);
    this.provider.addEventListener("change", () => {
      this.input.value = "";
      this.load();
    });
    this.list.addEventListener("change", () => this.choose());
    this.input.form.addEventListener("reset", () => setTimeout(() => this.load()));
    const dialog = this.closest("dialog");
    if (!dialog || dialog.open) {
      this.load();
      return;
    }
    new MutationObserver((_, observer) => { // the provider is asked once somebody looks
      if (dialog.open) {
        observer.disconnect();
        this.load();
      }
    }).observe(dialog, { attributeFilter: ["open"] });
  }

  async load() {
    const provider = this.provider.value;
    this.type();
    if (provider === "none") {
      this.status.textContent = "";
      return;
    }
    this.status.textContent = "Loading the models …";
    const said = await fetch(`${this.address}?provider_id=${encodeURIComponent(provider)}`, { headers: { Accept: "application/json" } })
      .then((response) => response.json())
      .catch(() => ({ error: -1, error_message: "The server cannot be reached." }));
    if (provider !== this.provider.value) {
      return; // another was chosen meanwhile
    }
    if (said.error !== 0) {
      this.status.textContent = `${said.error_message} You can type the name of a model.`;
      return;
    }
    this.status.textContent = "";
    this.show(said.data.models, provider === "own");
  }

  // type shows the input.
  type() {
    this.list.hidden = true;
    this.input.hidden = false;
    this.label?.setAttribute("for", this.input.id);
  }

  show(models, own) {
    if (models.length === 0) {
      return;
    }
    const now = this.input.value;
    const option = (value, text) => new Option(text, value, false, value === now);
    const options = models.map((name) => option(name, name));
    if (own) {
      options.unshift(option("", `The server's default (${models[0]})`));
    } else if (now === "") {
      options.unshift(option("", "Choose a model"));
    }
    if (now !== "" && !models.includes(now)) {
      options.unshift(option(now, now));
    }
    if (!own) {
      options.push(new Option("Type another name …", "\u0000"));
    }
    this.list.replaceChildren(...options);
    this.list.hidden = false;
    this.input.hidden = true;
    this.label?.setAttribute("for", this.list.id);
  }

  choose() {
    if (this.list.value === "\u0000") {
      this.type();
      this.input.focus();
      return;
    }
    this.input.value = this.list.value;
    this.input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
customElements.define("model-picker", ModelPicker);
