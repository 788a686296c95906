// What was typed waits in this tab while its person shows again who they are, for the
// page that it was typed on: once, and for half an hour. Passwords, keys and hidden
// inputs are not kept.
const place = "parley-kept";
const longest = 30 * 60 * 1000;

const here = () => location.pathname + location.search;
const isTyped = (input) => input.type && !["password", "hidden", "file", "submit", "button", "reset"].includes(input.type);
const isChoice = (input) => input.type === "checkbox" || input.type === "radio";

const store = (kept) => {
  try {
    sessionStorage.setItem(place, JSON.stringify({ ...kept, at: Date.now() }));
  } catch {
    // A tab without storage, or a text that is too long: it is typed again.
  }
};

// keep keeps what is typed in a form of this page. About says what the form is about.
export const keep = (form, about = null) => {
  const values = [...form.elements]
    .filter((input) => isTyped(input) && (!isChoice(input) || input.checked))
    .map((input) => [input.name || input.id, input.value]);
  store({ page: here(), id: form.id, action: form.getAttribute("action") ?? "", values, about });
};

// kept returns what this page had kept, once, or null.
export const kept = () => {
  let found = null;
  try {
    found = JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
  if (!found || found.page !== here()) {
    return null;
  }
  sessionStorage.removeItem(place);
  return Date.now() - found.at < longest ? found : null;
};

// fill types into a form what was kept.
export const fill = (form, values) => {
  const left = values.map((pair) => [...pair]);
  for (const input of form.elements) {
    if (!isTyped(input)) {
      continue;
    }
    const at = left.findIndex(([name, value]) => name === (input.name || input.id) && (!isChoice(input) || value === input.value));
    if (isChoice(input)) {
      input.checked = at >= 0;
    } else if (at >= 0) {
      input.value = left[at][1];
    }
    if (at >= 0) {
      left.splice(at, 1);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
};

// The page that asks again has the form that waits. It is kept where the browser leaves
// that page without it.
const waiting = document.getElementById("kept");
if (waiting?.dataset.kept) {
  const keepIt = () => store(JSON.parse(waiting.dataset.kept));
  if ("now" in waiting.dataset) {
    keepIt();
  }
  for (const form of document.querySelectorAll("form[data-leaves]")) {
    form.addEventListener("submit", keepIt);
  }
}

// Back on its page, a form is as it was. The script of a page fills forms that it sends
// itself.
const pathOf = (form) => new URL(form.getAttribute("action") || location.href, location.href).pathname;
const waits = document.querySelector("[data-fills]") ? null : kept();
const form = waits && [...document.forms].find((each) => each.method === "post" && pathOf(each) === new URL(waits.action || location.href, location.href).pathname);
if (form) {
  fill(form, waits.values);
  for (let around = form.parentElement; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement) {
      around.open = true;
    } else if (around instanceof HTMLDialogElement && !around.open) {
      around.showModal();
    }
  }
  const empty = [...form.elements].find((input) => input.type === "password" && input.value === "");
  (empty ?? form.querySelector("[type=submit], button:not([type])"))?.focus();
}
