// <use-proposal> puts what documents suggest into the form around it, where a person
// edits it before it is saved.
class UseProposal extends HTMLElement {
  connectedCallback() {
    this.form = this.closest("form");
    const link = this.querySelector("a");
    if (!this.form || !link) {
      return;
    }
    link.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) {
        return; // in another tab the page has it
      }
      event.preventDefault();
      this.take();
    });
  }

  take() {
    const questions = [...this.querySelectorAll('[data-part="questions"] li')].map((item) => item.textContent);
    const welcome = this.fill(this.getAttribute("welcome"), this.querySelector('[data-part="welcome"]').textContent);
    this.fill(this.getAttribute("questions"), questions.join("\n"));
    this.querySelector('[data-part="taken"]').textContent = "They are in the form above. Edit them if you like, then save.";
    welcome.focus();
  }

  fill(name, text) {
    const input = this.form.elements[name];
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    return input;
  }
}
customElements.define("use-proposal", UseProposal);
