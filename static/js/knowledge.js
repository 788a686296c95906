// Keeps the lists of the knowledge page current while something is worked on,
// and sends the files that were chosen one after the other.
"use strict";

(() => {
  // Lists.

  const list = () => document.getElementById("knowledge");
  const shortest = 2_000;
  const longest = 15_000;
  let pause = shortest;

  // inUse says whether replacing the lists would take something from under a
  // person's hands.
  const inUse = () =>
    list().contains(document.activeElement) || list().querySelector("details[open]") !== null;

  const refresh = async () => {
    let page;
    try {
      const response = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
      if (!response.ok || response.redirected) {
        return; // the next visit of the page says why
      }
      page = new DOMParser().parseFromString(await response.text(), "text/html");
    } catch {
      pause = longest; // the server may be back then
      watch();
      return;
    }
    const fresh = page.getElementById("knowledge");
    if (!fresh) {
      return;
    }
    if (fresh.innerHTML === list().innerHTML) {
      pause = Math.min(longest, pause * 1.5);
    } else if (!inUse()) {
      pause = shortest;
      list().replaceWith(document.adoptNode(fresh));
    }
    watch();
  };

  const watch = () => {
    if (list().hasAttribute("data-working")) {
      setTimeout(() => (document.hidden ? watch() : refresh()), pause);
    }
  };

  // Files.

  const form = document.getElementById("files-form");

  // wrong is what a page says is wrong with the files.
  const wrong = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const said = page.getElementById("files-error") || page.querySelector("main .banner") || page.querySelector("main p");
    return said ? said.textContent : "That could not be added. Try again.";
  };

  // send adds one file, and returns what is wrong with it, or nothing.
  const send = async (file) => {
    const body = new FormData();
    body.append("files", file);
    try {
      const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      return response.ok ? "" : wrong(await response.text());
    } catch {
      return "The server cannot be reached. Check your connection and try again.";
    }
  };

  const sendAll = async (files) => {
    const failed = document.getElementById("files-failed");
    const status = document.getElementById("files-status");
    failed.replaceChildren();
    let done = 0;
    for (const file of files) {
      status.textContent = `${done + 1} of ${files.length}: ${file.name}`;
      const reason = await send(file);
      if (reason) {
        const item = document.createElement("li");
        item.textContent = `${file.name}: ${reason}`;
        failed.append(item);
      }
      done++;
    }
    const added = files.length - failed.children.length;
    status.textContent = `${added} of ${files.length} added.`;
    form.reset();
    if (failed.children.length === 0) {
      location.assign(`${location.pathname}?done=added`);
      return;
    }
    await refresh();
  };

  if (form) {
    form.addEventListener("submit", async (event) => {
      const files = [...document.getElementById("files").files];
      if (files.length < 2) {
        return; // as without this script
      }
      event.preventDefault();
      const button = document.getElementById("add-files");
      button.disabled = true;
      await sendAll(files);
      button.disabled = false;
    });
  }
  watch();
})();
