// Swaps a part of the page for the same part of another answer of the server, so
// that lists filter, page and keep current without loading everything again.
//
//   <form method="get" data-swap="list">     as something is typed or chosen
//   <nav data-swap="list"> … <a href>        links in it
//   <div id="list" data-poll="3000">         again and again, while it has this
//   <p id="state" data-poll="3000" data-parts="state list">    with others
//   <div id="list" data-load="/list">        once, from the page that has it
//   <a data-go="/there">                     in a fresh part: the page goes there
import { answered, missed } from "./offline.js";

const parse = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");
const asked = new Map();

// swap replaces the elements with the ids, in the page, by those at the address.
export const swap = async (address, ids, { quiet = false } = {}) => {
  asked.get(ids)?.abort();
  const control = new AbortController();
  asked.set(ids, control);
  const parts = ids.split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean);
  parts.forEach((part) => quiet || part.setAttribute("aria-busy", "true"));
  try {
    const response = await fetch(address, { credentials: "same-origin", cache: "no-store", signal: control.signal });
    answered(response.redirected && new URL(response.url).pathname === "/sign-in");
    if (!response.ok || response.redirected) {
      throw new Error(`status ${response.status}`);
    }
    const page = await parse(response);
    for (const part of parts) {
      const fresh = page.getElementById(part.id);
      if (fresh && fresh.outerHTML !== part.outerHTML && !(quiet && inUse(part))) {
        const made = document.adoptNode(fresh);
        part.replaceWith(made);
        made.dispatchEvent(new CustomEvent("parley:shown", { bubbles: true }));
        poll(made);
        const go = made.querySelector("[data-go]");
        if (go) {
          location.assign(go.dataset.go);
        }
      } else {
        part.removeAttribute("aria-busy");
      }
    }
    return true;
  } catch (failure) {
    parts.forEach((part) => part.removeAttribute("aria-busy"));
    if (failure instanceof TypeError) { // no answer: what is shown stays
      missed();
      return "away";
    }
    return failure.name === "AbortError";
  }
};

// inUse says whether a swap would take something from under a person's hands.
const inUse = (part) => part.contains(document.activeElement) && document.activeElement !== part || part.querySelector("details[open], dialog[open], :popover-open") !== null || [...part.querySelectorAll("input")].some((box) => box.checked !== box.defaultChecked);

const go = async (address, ids) => {
  const shown = await swap(address, ids);
  if (shown === true) {
    history.replaceState(null, "", address);
  } else if (!shown) {
    location.assign(address);
  }
};

const addressOf = (form) => {
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  const to = new URL(form.getAttribute("action") || location.pathname, location.href);
  to.search = query;
  return to.href;
};

let typing;
document.addEventListener("input", (event) => {
  const form = event.target.form?.closest("form[data-swap]");
  if (form) {
    clearTimeout(typing);
    typing = setTimeout(() => go(addressOf(form), form.dataset.swap), event.target.type === "search" || event.target.type === "text" ? 250 : 0);
  }
});
document.addEventListener("submit", (event) => {
  if (event.target.matches?.("form[data-swap]")) {
    event.preventDefault();
    clearTimeout(typing);
    go(addressOf(event.target), event.target.dataset.swap);
  }
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-swap]:not(form) a[href]"); // one in a form empties it, too
  if (link && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && link.origin === location.origin) {
    event.preventDefault();
    go(link.href, link.closest("[data-swap]").dataset.swap);
  }
});

// A part of the page that another address has comes once the page is there. If it
// does not, its link leads there.
document.querySelectorAll("[data-load][id]").forEach((part) => swap(part.dataset.load, part.id));

const poll = (part) => {
  const every = Number(part.dataset.poll);
  if (every > 0) {
    setTimeout(async () => {
      if (!part.isConnected) {
        return;
      }
      if (!document.hidden) {
        await swap(location.href, part.dataset.parts || part.id, { quiet: true });
      }
      if (part.isConnected) {
        poll(part); // it was left as it is
      }
    }, every);
  }
};
document.querySelectorAll("[data-poll][id]").forEach(poll);

// A form that leads back to its own page may find the work done already.
const done = document.querySelector("[data-poll] [data-go], #welcome [data-go]");
if (done && document.referrer && new URL(document.referrer).pathname === location.pathname) {
  location.replace(done.dataset.go);
}
