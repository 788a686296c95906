// <copy-button for="ID"> copies what the element with that id says, or its own
// data-text, and says so.
const copy = async (text, element) => {
  try {
    await navigator.clipboard.writeText(text); // missing on pages without HTTPS
    return true;
  } catch {
    if (!element) {
      return false;
    }
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand("copy");
  }
};

class CopyButton extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    const label = button?.querySelector("span");
    const said = label?.textContent;
    const status = document.createElement("span");
    status.className = "unseen";
    status.setAttribute("role", "status");
    this.append(status);
    button?.addEventListener("click", async () => {
      const source = document.getElementById(this.getAttribute("for"));
      const copied = await copy(this.dataset.text ?? source?.value ?? source?.textContent ?? "", source);
      const says = copied ? "Copied" : "Press Ctrl C";
      if (label) {
        label.textContent = says;
      }
      button.classList.toggle("copied", copied);
      status.textContent = copied ? "Copied." : "It is selected. Copy it with your keyboard.";
      this.dispatchEvent(new CustomEvent("copied", { bubbles: true, detail: copied }));
      setTimeout(() => {
        if (label) {
          label.textContent = said;
        }
        button.classList.remove("copied");
        status.textContent = "";
      }, 2_500);
    });
  }
}
customElements.define("copy-button", CopyButton);

// Buttons with data-copy="ID" say so in the element ID-copied.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const id = button.dataset.copy;
  button.addEventListener("click", async () => {
    const element = document.getElementById(id);
    const copied = await copy(element.textContent, element);
    document.getElementById(`${id}-copied`).textContent = copied ? "Copied." : "It is selected. Copy it with your keyboard.";
  });
}
