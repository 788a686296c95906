// The reference of the API: finding a call, and trying it with a token that stays in
// this tab.
const kept = "parley-reference-token";

// <reference-filter> leaves those calls in the contents that have all words.
class ReferenceFilter extends HTMLElement {
  connectedCallback() {
    const nav = this.closest("nav");
    const open = [...nav.querySelectorAll("details")].map((part) => part.open);
    this.querySelector("input").addEventListener("input", (event) => {
      const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      nav.querySelectorAll("details").forEach((part, i) => {
        let any = false;
        for (const link of part.querySelectorAll("a")) {
          const shown = words.every((word) => link.dataset.words.toLowerCase().includes(word));
          link.parentElement.hidden = !shown;
          any ||= shown;
        }
        part.hidden = !any;
        part.open = words.length > 0 ? any : open[i];
      });
    });
    nav.addEventListener("click", (event) => event.target.closest("a") && nav.matches(":popover-open") && nav.hidePopover());
  }
}
customElements.define("reference-filter", ReferenceFilter);

// <reference-token> keeps the token for the other pages of the reference in this tab.
class ReferenceToken extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    input.value = sessionStorage.getItem(kept) ?? "";
    input.addEventListener("input", () => sessionStorage.setItem(kept, input.value.trim()));
    this.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    this.querySelector("button").addEventListener("click", () => {
      sessionStorage.removeItem(kept);
      input.value = "";
      input.focus();
    });
  }
}
customElements.define("reference-token", ReferenceToken);

const shownHeaders = ["content-type", "x-request-id", "x-error-code", "retry-after", "ratelimit-policy", "ratelimit", "idempotency-replayed", "deprecation", "sunset"];
const mostShown = 200_000; // characters, so that a long answer does not stop the page

// <reference-call> sends the request of its form and shows what comes back, events of
// a stream as they come.
class ReferenceCall extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.region = this.querySelector(".tried");
    this.stopper = this.querySelector("[data-stop]");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.stopper.addEventListener("click", () => this.control?.abort());
  }

  disconnectedCallback() {
    this.control?.abort();
  }

  // request is what the form says, or the input that is wrong.
  request() {
    let path = this.form.dataset.path;
    const query = new URLSearchParams();
    const headers = new Headers();
    let body;
    const token = document.getElementById("reference-token")?.value.trim();
    if (token) {
      headers.set("Authorization", `Bearer ${token}`);
    }
    for (const input of this.form.querySelectorAll("input[data-in]")) {
      const { in: place } = input.dataset;
      if (place === "file") {
        if (input.files.length > 0) {
          body = new FormData();
          body.append(input.name, input.files[0]);
        }
        continue;
      }
      const value = input.value.trim();
      if (value === "" && input.required) {
        return { wrong: input, says: `Fill in ${input.name}.` };
      }
      if (place === "path") {
        path = path.replace(`{${input.name}}`, encodeURIComponent(value));
      } else if (value !== "" && place === "query") {
        query.append(input.name, value);
      } else if (value !== "") {
        try {
          headers.set(input.name, value);
        } catch {
          return { wrong: input, says: `A header cannot have this text: ${input.name}.` };
        }
      }
    }
    const text = this.form.elements.body;
    if (text && !body) {
      body = text.value;
      headers.set("Content-Type", "application/json");
    }
    return { address: `${path}${query.size > 0 ? `?${query}` : ""}`, options: { method: this.form.dataset.method, headers, body } };
  }

  async send() {
    const { wrong, says, address, options } = this.request();
    if (wrong) {
      this.show(says);
      wrong.focus();
      return;
    }
    this.control?.abort();
    const control = new AbortController();
    this.control = control;
    this.stopper.hidden = false;
    this.show("Waiting …");
    const begun = performance.now();
    const took = () => {
      this.part("took").textContent = `${Math.round(performance.now() - begun)} ms`;
    };
    try {
      const response = await fetch(address, { ...options, credentials: "omit", cache: "no-store", signal: control.signal });
      this.part("status").textContent = `${response.status} ${response.statusText}`.trim();
      this.part("headers").textContent = shownHeaders.filter((name) => response.headers.has(name)).map((name) => `${name}: ${response.headers.get(name)}`).join("\n");
      took();
      await this.read(response);
      took();
    } catch (failure) {
      if (this.control === control) {
        this.show(failure.name === "AbortError" ? "Stopped." : "The server did not answer. Check your connection, then try again.", true);
      }
    } finally {
      if (this.control === control) {
        this.stopper.hidden = true;
      }
    }
  }

  async read(response) {
    const body = this.part("body");
    if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      for await (const text of chunks(response)) {
        if (body.textContent.length < mostShown) {
          body.append(text);
        }
      }
      return;
    }
    const text = await response.text();
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // it is shown as it came
    }
    body.textContent = shown.slice(0, mostShown);
  }

  show(says, keep = false) {
    this.region.hidden = false;
    this.part("status").textContent = says;
    if (!keep) {
      ["took", "headers", "body"].forEach((name) => (this.part(name).textContent = ""));
    }
  }

  part(name) {
    return this.region.querySelector(`[data-${name}]`);
  }
}
customElements.define("reference-call", ReferenceCall);

// chunks are the texts of a stream as they come.
async function* chunks(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    yield value;
  }
}
