// <drop-zone> takes files that are dropped on it into its file input, and with
// "whole" those that are dropped anywhere on the page. It fires "files" with them;
// who does not prevent that has the form sent.
class DropZone extends HTMLElement {
  connectedCallback() {
    this.input = this.querySelector("input[type=file]");
    const target = this.hasAttribute("whole") ? document.documentElement : this;
    let depth = 0;
    const has = (event) => event.dataTransfer?.types.includes("Files");
    const over = (on) => {
      this.classList.toggle("over", on);
      if (target !== this) {
        this.veil(on);
      }
    };
    target.addEventListener("dragenter", (event) => has(event) && ++depth === 1 && over(true));
    target.addEventListener("dragleave", (event) => has(event) && --depth === 0 && over(false));
    target.addEventListener("dragover", (event) => has(event) && event.preventDefault());
    target.addEventListener("drop", (event) => {
      if (has(event)) {
        event.preventDefault();
        depth = 0;
        over(false);
        this.take(event.dataTransfer.files);
      }
    });
    this.input?.addEventListener("change", () => this.input.files.length > 0 && this.tell([...this.input.files]));
  }

  veil(on) {
    this.shade?.remove();
    if (on) {
      this.shade = document.createElement("div");
      this.shade.className = "dropveil";
      this.shade.textContent = this.getAttribute("says") || "Drop files to add them";
      document.body.append(this.shade);
    }
  }

  take(files) {
    this.input.files = files;
    this.tell([...files]);
  }

  tell(files) {
    const event = new CustomEvent("files", { bubbles: true, cancelable: true, detail: files });
    if (this.dispatchEvent(event) && this.hasAttribute("sends")) {
      this.closest("form")?.requestSubmit();
    }
  }
}
customElements.define("drop-zone", DropZone);
