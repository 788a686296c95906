// The page Knowledge: files on their way, rows that become current by themselves,
// and changes to several documents at once.
import { toast } from "./parley.js";

const plural = (n, one, several) => `${n.toLocaleString("en-US")} ${n === 1 ? one : several}`;

// <knowledge-list> keeps its rows current while something is in progress, ever
// less often while nothing changes, and says what is selected.
const shortest = 1_000;
const longest = 15_000;

class KnowledgeList extends HTMLElement {
  connectedCallback() {
    this.pause = shortest;
    this.addEventListener("change", (event) => event.target.matches("input[type=checkbox]") && this.selected(event.target));
    this.prepare();
    this.watch();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }

  get boxes() {
    return [...this.querySelectorAll("td.select input")];
  }

  // prepare adds the box that selects all rows.
  prepare() {
    const head = this.querySelector("th.select");
    if (head && !head.querySelector("input")) {
      this.every = document.createElement("input");
      this.every.type = "checkbox";
      this.every.setAttribute("aria-label", "Select all on this page");
      head.append(this.every);
    }
    this.querySelector(".selection")?.classList.add("alive");
    this.selected();
  }

  selected(changed) {
    if (changed && changed === this.every) {
      this.boxes.forEach((box) => (box.checked = changed.checked));
    }
    const boxes = this.boxes;
    const chosen = boxes.filter((box) => box.checked);
    boxes.forEach((box) => box.closest("tr").setAttribute("aria-selected", box.checked));
    if (this.every) {
      this.every.checked = chosen.length > 0 && chosen.length === boxes.length;
      this.every.indeterminate = chosen.length > 0 && chosen.length < boxes.length;
    }
    const bar = this.querySelector(".selection");
    if (bar) {
      bar.classList.toggle("shown", chosen.length > 0);
      bar.querySelector("[data-selected]").textContent = `${chosen.length} selected`;
    }
  }

  get working() {
    return Number(this.dataset.working) > 0;
  }

  watch() {
    clearTimeout(this.timer);
    if (this.working) {
      this.timer = setTimeout(() => this.refresh(), this.pause);
    }
  }

  // soon refreshes the rows when several things may have changed at once.
  soon() {
    this.pause = shortest;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), 300);
  }

  async refresh() {
    if (document.hidden) {
      this.timer = setTimeout(() => this.refresh(), this.pause);
      return;
    }
    let fresh, page;
    try {
      const response = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
      if (response.ok && !response.redirected) {
        page = new DOMParser().parseFromString(await response.text(), "text/html");
        fresh = page.getElementById("knowledge");
      }
    } catch {
      fresh = null; // the server may be back the next time
    }
    if (!this.isConnected) {
      return;
    }
    const changed = fresh && this.take(fresh);
    if (page) {
      this.count(page);
    }
    this.pause = changed ? shortest : Math.min(this.pause * 1.5, longest);
    this.watch();
  }

  // count brings the numbers beside the tabs and the states up to date.
  count(page) {
    for (const what of [".tabs .count", "#state option"]) {
      const fresh = page.querySelectorAll(what);
      document.querySelectorAll(what).forEach((old, i) => {
        if (fresh[i] && old.textContent !== fresh[i].textContent) {
          old.textContent = fresh[i].textContent;
        }
      });
    }
  }

  // take puts rows of another answer of the server in place of those that differ.
  // What is selected, and where the focus is, stays.
  take(fresh) {
    this.dataset.working = fresh.dataset.working;
    const table = this.querySelector("tbody");
    const other = fresh.querySelector("tbody");
    const chosen = new Set(this.boxes.filter((box) => box.checked).map((box) => box.value));
    const focused = document.activeElement?.closest("tr")?.dataset.documentId;
    const keys = (body) => [...(body?.rows ?? [])].map((row) => row.dataset.documentId ?? row.dataset.sourceId).join(" ");
    let changed = false;
    if (!table || !other || keys(table) !== keys(other)) {
      if (this.contains(document.activeElement) && document.activeElement !== this && !focused) {
        return false;
      }
      changed = table?.innerHTML !== other?.innerHTML || !table !== !other;
      if (changed) {
        this.replaceChildren(...fresh.childNodes);
        this.every = null;
      }
    } else {
      [...table.rows].forEach((row, i) => {
        const next = other.rows[i].cloneNode(true);
        if (row.dataset.state !== next.dataset.state || this.plain(row) !== this.plain(next)) {
          row.replaceWith(next);
          changed = true;
        }
      });
      const [progress, now] = [this, fresh].map((list) => list.querySelector("#progress"));
      if (progress.innerHTML !== now.innerHTML) {
        progress.replaceChildren(...now.childNodes);
      }
    }
    if (changed) {
      this.boxes.forEach((box) => (box.checked = chosen.has(box.value)));
      if (focused && !this.contains(document.activeElement)) {
        this.querySelector(`tr[data-document-id="${CSS.escape(focused)}"] a`)?.focus();
      }
      this.prepare();
      this.dispatchEvent(new CustomEvent("parley:shown", { bubbles: true }));
    }
    return changed;
  }

  // plain is what a row says, but for times, which say something else every minute.
  plain(row) {
    const copy = row.cloneNode(true);
    copy.querySelectorAll("time").forEach((time) => time.replaceWith(time.dateTime));
    copy.querySelectorAll("progress").forEach((bar) => bar.replaceWith(`${bar.value}`));
    return copy.textContent;
  }
}
customElements.define("knowledge-list", KnowledgeList);

// <knowledge-uploads> sends files, two requests at a time, each with several small
// files or a large one, and says how far they are. A thousand of them wait in a queue.
const together = 2;
const filesOfRequest = 25; // the server takes no more
const bytesOfRequest = 2 * 1024 * 1024; // so that little is sent again after a lost connection
const rowsShown = 50;
const largest = 20 * 1024 * 1024;

class KnowledgeUploads extends HTMLElement {
  connectedCallback() {
    this.items = [];
    this.requests = new Set();
    this.kinds = this.getAttribute("kinds").split(",");
    this.on("[data-stop]", () => this.stop());
    this.on("[data-close]", () => this.clear());
    this.on("[data-retry-all]", () => this.retry(this.items.filter((item) => item.state === "failed")));
    addEventListener("online", () => this.retry(this.items.filter((item) => item.lost)));
    addEventListener("beforeunload", (event) => this.busy && event.preventDefault());
    document.addEventListener("files", (event) => {
      event.preventDefault();
      this.add(event.detail);
      event.target.querySelector("input[type=file]").value = "";
    });
    document.getElementById("add-files")?.setAttribute("hidden", "");
  }

  on(selector, act) {
    this.querySelector(selector).addEventListener("click", act);
  }

  get busy() {
    return this.items?.some((item) => item.state === "waits" || item.state === "sends");
  }

  add(files) {
    document.getElementById("add")?.close();
    if (!this.busy) {
      this.items = this.items.filter((item) => item.state === "failed");
    }
    for (const file of files) {
      const item = { file, state: "waits", sent: 0 };
      const end = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
      if (!file.name.includes(".") || !this.kinds.includes(end)) {
        this.refuse(item, this.dataset.says);
      } else if (file.size === 0) {
        this.refuse(item, "The file is empty.");
      } else if (file.size > largest) {
        this.refuse(item, "The file is larger than 20 MB. Split it.");
      }
      this.items.push(item);
    }
    this.hidden = false;
    this.paused = false;
    this.next();
    this.scrollIntoView({ block: "nearest" });
  }

  refuse(item, message) {
    Object.assign(item, { state: "failed", message, final: true });
  }

  next() {
    this.draw();
    if (this.paused) {
      return;
    }
    for (let batch = this.batch(); batch && this.requests.size < together; batch = this.batch()) {
      this.send(batch);
    }
    if (!this.busy && this.items.length > 0) {
      this.ended();
    }
  }

  // batch returns the files of the next request, or nothing.
  batch() {
    const batch = [];
    let bytes = 0;
    for (const item of this.items) {
      if (item.state !== "waits") {
        continue;
      }
      bytes += item.file.size;
      if (batch.length > 0 && (bytes > bytesOfRequest || batch.length === filesOfRequest)) {
        break;
      }
      batch.push(item);
    }
    return batch.length > 0 && batch;
  }

  send(batch) {
    const body = new FormData();
    const request = new XMLHttpRequest();
    for (const item of batch) {
      body.append("file", item.file);
      Object.assign(item, { state: "sends", sent: 0, message: "", lost: false });
    }
    this.requests.add(request);
    request.open("POST", this.getAttribute("action"));
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      let left = event.lengthComputable ? event.loaded : 0;
      for (const item of batch) {
        item.sent = Math.min(left / item.file.size, 1);
        left = Math.max(left - item.file.size, 0);
      }
      this.drawSoon();
    });
    request.addEventListener("loadend", () => this.requests.delete(request));
    request.addEventListener("load", () => {
      this.requests.delete(request);
      this.answered(batch, request);
    });
    for (const way of ["error", "timeout"]) {
      request.addEventListener(way, () => {
        this.requests.delete(request);
        this.fail(batch, "The connection was lost.", true);
        this.paused = true;
        this.draw();
      });
    }
    request.send(body);
    this.draw();
  }

  fail(batch, message, lost = false) {
    batch.forEach((item) => Object.assign(item, { state: "failed", lost, message }));
  }

  // wait sends the files again when the server takes more.
  wait(batch, seconds) {
    batch.forEach((item) => Object.assign(item, { state: "waits", sent: 0 }));
    this.paused = true;
    this.until = Date.now() + seconds * 1000;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.paused = false;
      this.until = 0;
      this.next();
    }, seconds * 1000);
    this.draw();
  }

  answered(batch, request) {
    if (request.status === 429 || request.status === 503) {
      this.wait(batch, Math.min(Math.max(Number(request.getResponseHeader("Retry-After")) || 10, 1), 120));
      return;
    }
    const files = request.response?.data?.files;
    if (request.status === 200 && files?.length === batch.length) {
      batch.forEach((item, i) => {
        if (files[i].document) {
          item.state = "done";
        } else {
          this.fail([item], files[i].error_message);
        }
      });
      document.querySelector("knowledge-list")?.soon();
    } else if (request.status === 401) {
      this.fail(batch, "You've been signed out. Sign in again in another tab, then choose Retry.");
      this.paused = true;
    } else {
      this.fail(batch, request.response?.error_message || "Something went wrong on the server. Try again.");
    }
    this.next();
  }

  retry(items) {
    for (const item of items) {
      if (!item.final) {
        Object.assign(item, { state: "waits", lost: false, message: "" });
      }
    }
    this.paused = false;
    this.next();
  }

  stop() {
    clearTimeout(this.timer);
    this.requests.forEach((request) => request.abort());
    this.requests.clear();
    this.items = this.items.filter((item) => item.state === "done" || item.state === "failed");
    this.paused = false;
    this.until = 0;
    this.draw();
    this.ended();
  }

  clear() {
    this.items = [];
    this.hidden = true;
  }

  ended() {
    const failed = this.items.some((item) => item.state === "failed");
    const added = this.items.filter((item) => item.state === "done").length;
    if (failed) {
      return;
    }
    if (added > 0) {
      toast(`${plural(added, "file", "files")} added.`);
    }
    this.clear();
    if (!document.querySelector("knowledge-list") && added > 0) {
      location.assign(location.pathname.replace(/\/add$/, ""));
    }
  }

  drawSoon() {
    this.frame ??= setTimeout(() => {
      this.frame = null;
      this.draw();
    }, 150);
  }

  draw() {
    const count = (state) => this.items.filter((item) => item.state === state).length;
    const [all, done, failed, waits] = [this.items.length, count("done"), count("failed"), count("waits")];
    const says = [`${done} of ${plural(all, "file", "files")} added.`];
    if (this.until > Date.now()) {
      says.push(`You've sent many files within a minute. The rest follow in ${Math.ceil((this.until - Date.now()) / 1000)} s; keep this page open.`);
      clearTimeout(this.tick);
      this.tick = setTimeout(() => this.draw(), 1000);
    } else if (this.items.some((item) => item.lost)) {
      says.push("The connection was lost. What is missing is sent when you choose Retry, or when you are online again.");
    } else if (waits > 0) {
      says.push(`${plural(waits, "waits", "wait")} for their turn.`);
    }
    if (failed > 0) {
      says.push(`${failed} failed.`);
    }
    const summary = this.querySelector("[data-summary]");
    const said = says.join(" ");
    if (summary.textContent !== said) {
      summary.textContent = said;
    }
    const total = this.querySelector("[data-total]");
    total.max = Math.max(all, 1);
    total.value = this.items.reduce((sum, item) => sum + (item.state === "done" || item.state === "failed" ? 1 : item.sent), 0);
    const order = { failed: 0, sends: 1, waits: 2 };
    const rows = this.items.filter((item) => item.state !== "done").sort((a, b) => order[a.state] - order[b.state]);
    const list = this.querySelector("[data-files]");
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...rows.slice(0, rowsShown).map((item) => this.row(item)));
    if (rows.length > rowsShown) {
      const more = document.createElement("li");
      more.className = "hint";
      more.textContent = `and ${plural(rows.length - rowsShown, "more file", "more files")}`;
      list.append(more);
    }
    if (focused && !list.contains(document.activeElement)) {
      (list.querySelector("button") ?? this.querySelector("[data-close]")).focus();
    }
    this.querySelector("[data-retry-all]").hidden = !this.items.some((item) => item.state === "failed" && !item.final);
    this.querySelector("[data-stop]").hidden = !this.busy;
    this.querySelector("[data-close]").hidden = this.busy;
  }

  row(item) {
    const row = document.createElement("li");
    row.dataset.state = item.state;
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = item.file.name;
    row.append(name);
    if (item.state === "failed") {
      const why = document.createElement("span");
      why.className = "error";
      why.textContent = item.message;
      row.append(why);
      if (!item.final) {
        const again = document.createElement("button");
        again.type = "button";
        again.className = "button small";
        again.textContent = "Retry";
        again.setAttribute("aria-label", `Retry ${item.file.name}`);
        again.addEventListener("click", () => this.retry([item]));
        row.append(again);
      }
    } else {
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.value = item.state === "sends" ? item.sent : 0;
      bar.setAttribute("aria-label", item.file.name);
      const said = document.createElement("span");
      said.className = "hint";
      said.textContent = item.state === "sends" ? `${Math.round(item.sent * 100)} %` : "Waiting";
      row.append(bar, said);
    }
    return row;
  }
}
customElements.define("knowledge-uploads", KnowledgeUploads);

// <add-knowledge> shows one of the ways to add; its tabs are links to the page of
// each without scripts.
class AddKnowledge extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      const tab = event.target.closest(".tabs a");
      if (tab && event.button === 0 && !event.metaKey && !event.ctrlKey) {
        event.preventDefault();
        this.show(new URL(tab.href).searchParams.get("way"));
      }
    });
    document.addEventListener("click", (event) => {
      const opener = event.target.closest?.("a[data-opens=add]");
      if (opener && this.closest("dialog")) {
        this.show(new URL(opener.href).searchParams.get("way"));
      }
    });
  }

  show(way) {
    for (const part of this.querySelectorAll("[data-way]")) {
      part.hidden = part.dataset.way !== way;
    }
    for (const tab of this.querySelectorAll(".tabs a")) {
      if (new URL(tab.href).searchParams.get("way") === way) {
        tab.setAttribute("aria-current", "page");
      } else {
        tab.removeAttribute("aria-current");
      }
    }
  }
}
customElements.define("add-knowledge", AddKnowledge);
