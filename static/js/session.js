// When a session has ended while somebody was writing, what was written waits in
// this tab's storage, without passwords and files, until they have signed in again.
const signedIn = document.body.dataset.person !== undefined;
const key = `parley-draft:${location.pathname}`;
const skipped = (input) => !input.name || ["password", "file", "hidden", "submit", "button"].includes(input.type) || input.autocomplete === "off" && /key|secret|code/.test(input.name);

const keep = (form) => {
  const values = [];
  for (const input of form.elements) {
    if (!skipped(input)) {
      values.push([input.name, input.type === "checkbox" || input.type === "radio" ? input.checked : input.value, input.value]);
    }
  }
  sessionStorage.setItem(key, JSON.stringify({ action: form.getAttribute("action"), at: Date.now(), values }));
};

document.addEventListener("submit", (event) => {
  if (event.target.method === "post" && signedIn && event.target.querySelector("input:not([type=hidden]), textarea, select")) {
    keep(event.target);
  }
});

const restore = () => {
  const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
  const form = kept && [...document.forms].find((form) => form.getAttribute("action") === kept.action);
  if (!form) {
    return;
  }
  for (const [name, value, own] of kept.values) {
    for (const input of form.elements) {
      if (input.name === name && !skipped(input)) {
        if (typeof value === "boolean") {
          input.checked = input.value === own ? value : input.checked;
        } else {
          input.value = value;
        }
      }
    }
  }
  form.closest("dialog")?.showModal();
  form.dispatchEvent(new Event("input", { bubbles: true }));
  import("./toasts.js").then(({ toast }) => toast("You're signed in again. We kept what you wrote: check it and send it."));
};

// The page that says that the session has ended marks it; the page that a person
// comes back to reads the mark. Any other page forgets what was sent from it.
if (document.body.dataset.expired !== undefined) {
  sessionStorage.setItem("parley-expired", location.pathname);
} else if (signedIn) {
  const expired = sessionStorage.getItem("parley-expired") !== null;
  if (expired) {
    sessionStorage.removeItem("parley-expired");
    const from = Object.keys(sessionStorage).find((name) => name.startsWith("parley-draft:"));
    if (from === key) {
      restore();
    }
  }
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith("parley-draft:")) {
      sessionStorage.removeItem(name);
    }
  }
}
