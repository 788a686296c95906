// What was written is not lost when a session has ended meanwhile, or when the
// server did not answer: it waits in this tab's storage, without passwords and
// files, until the page with the form is back.
import { toast } from "./toasts.js";

const signedIn = document.body.dataset.person !== undefined;
const draft = "parley-draft";
const ended = "parley-expired";
const longest = 60 * 60_000;
const skipped = (input) => !input.name || ["password", "file", "hidden", "submit", "button"].includes(input.type) || input.autocomplete === "off" && /key|secret|code/.test(input.name);
const ticked = (input) => input.type === "checkbox" || input.type === "radio";
const inputs = (form) => [...form.elements].filter((input) => !skipped(input));

const keep = (form) => {
  const values = inputs(form).map((input) => [input.name, ticked(input) ? input.checked : input.value, input.value]);
  const files = [...form.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files].map((file) => file.name));
  const kept = JSON.stringify({ action: form.getAttribute("action"), at: Date.now(), values, files });
  try {
    sessionStorage.setItem(draft, kept);
  } catch {
    sessionStorage.removeItem(draft); // it is larger than what the browser keeps
  }
};

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.method === "post" && signedIn && event.target.querySelector("input:not([type=hidden]), textarea, select")) {
    keep(event.target);
  }
});

const told = (kept, why) => {
  const [first, ...others] = kept.files ?? [];
  const files = !first ? "" : others.length > 0 ? ` Choose the ${others.length + 1} files again.` : ` Choose ${first} again.`;
  toast(`${why} We kept what you wrote: check it and send it.${files}`);
};

// restore fills in the form that was sent, and says whether it is on this page.
const restore = (why) => {
  const kept = JSON.parse(sessionStorage.getItem(draft) ?? "null");
  const form = kept && Date.now() - kept.at < longest && [...document.forms].find((form) => form.getAttribute("action") === kept.action);
  if (!form) {
    return false;
  }
  const waiting = [...kept.values];
  for (const input of inputs(form)) {
    const at = waiting.findIndex(([name, , own]) => name === input.name && (!ticked(input) || own === input.value));
    if (at < 0) {
      continue;
    }
    const [[, value]] = waiting.splice(at, 1);
    if (ticked(input)) {
      input.checked = value;
    } else {
      input.value = value;
    }
  }
  const dialog = form.closest("dialog");
  if (dialog && !dialog.open) {
    dialog.showModal();
  }
  form.closest("details")?.setAttribute("open", "");
  form.dispatchEvent(new Event("input", { bubbles: true }));
  told(kept, why);
  return true;
};

// The page that says that the session has ended marks it, and the page with the
// form reads the mark. Who comes back to a form by the browser's own button has had
// no answer of this server: any other page forgets what was sent.
if (document.body.dataset.expired !== undefined) {
  sessionStorage.setItem(ended, location.pathname);
} else if (signedIn) {
  const expired = sessionStorage.getItem(ended) !== null;
  const back = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  const restored = (expired && restore("You're signed in again.")) || (back && restore("The last time it wasn't sent."));
  if (restored || !expired) {
    sessionStorage.removeItem(ended);
    sessionStorage.removeItem(draft);
  }
}
