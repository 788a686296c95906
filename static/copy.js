// Makes each button with data-copy="ID" copy the text of that element, and
// says so in the element ID-copied.
"use strict";

(() => {
  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  // The clipboard API is missing on pages without HTTPS.
  const copy = async (element) => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      select(element);
      return document.execCommand("copy");
    }
  };

  for (const button of document.querySelectorAll("button[data-copy]")) {
    const id = button.dataset.copy;
    button.addEventListener("click", async () => {
      const copied = await copy(document.getElementById(id));
      const status = document.getElementById(`${id}-copied`);
      status.textContent = copied ? "Copied." : "It is selected. Copy it with your keyboard.";
    });
  }
})();
