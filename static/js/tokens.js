// Lists, creates, renames, rolls and revokes the API tokens of a chatbot over the
// management routes. Every text from the server is inserted as text, never as HTML.
import { fill, keep, kept } from "./parley.js";

(() => {
  const root = document.getElementById("tokens");
  const address = `/api/chatbots/${encodeURIComponent(root.dataset.chatbotId)}/api-tokens`;
  const mayManage = root.hasAttribute("data-may-manage");
  const mayCreate = root.hasAttribute("data-may-create");
  const byId = (id) => document.getElementById(id);

  // The codes of the envelope's "error" that this page knows what to do about.
  const unauthenticated = 1;
  const forbidden = 2;

  class Failure extends Error {
    constructor(message, code, requestId, name = "") {
      super(message);
      this.code = code;
      this.requestId = requestId;
      this.name = name; // that of X-Error-Code
    }
  }

  const call = async (method, path, body) => {
    let response;
    try {
      response = await fetch(path, {
        method,
        credentials: "same-origin",
        cache: "no-store",
        headers: body ? { "Content-Type": "application/json" } : {},
        body: body && JSON.stringify(body),
      });
    } catch {
      throw new Failure("The server cannot be reached. Check your connection and try again.", 0, "");
    }
    const requestId = response.headers.get("X-Request-Id") || "";
    const envelope = await response.json().catch(() => null);
    if (!envelope || typeof envelope.error !== "number") {
      throw new Failure("The server gave an answer that this page does not understand. Try again.", 0, requestId);
    }
    if (envelope.error !== 0) {
      throw new Failure(envelope.error_message, envelope.error, requestId, response.headers.get("X-Error-Code"));
    }
    return envelope.data;
  };

  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) {
      made.setAttribute(key, value);
    }
    return made;
  };

  // Errors.

  const remedy = ({ code }) => {
    if (code === unauthenticated) {
      return element("a", "Sign in", { href: `/sign-in?next=${encodeURIComponent(location.pathname)}` });
    }
    if (code === forbidden) {
      return element("a", "Go to the plans", { href: root.dataset.planUrl });
    }
    return null;
  };

  // showError says in a box what went wrong, and what to do.
  const showError = (failure, box = byId("token-error")) => {
    const text = element("div", "");
    text.append(element("p", failure.message));
    const link = remedy(failure);
    if (link) {
      text.append(link);
    }
    if (failure.requestId) {
      text.append(element("p", `Request ${failure.requestId}`, { class: "hint" }));
    }
    box.replaceChildren(text);
    box.hidden = false;
  };

  // besides are the fields beside which a refusal is shown.
  const besides = { invalid_ip_range: "token-ranges", invalid_origin: "token-origins", origins_required: "token-origins" };

  const hideErrors = () => {
    for (const id of new Set(Object.values(besides))) {
      const box = document.getElementById(`${id}-error`);
      if (box) {
        box.hidden = true;
        document.getElementById(id).removeAttribute("aria-invalid");
      }
    }
    for (const box of root.querySelectorAll('[role="alert"]')) {
      box.hidden = true;
      box.replaceChildren();
    }
  };

  const showBeside = (id, message) => {
    const field = byId(id);
    byId(`${id}-error`).textContent = message;
    byId(`${id}-error`).hidden = false;
    field.setAttribute("aria-invalid", "true");
    const folded = field.closest("details");
    if (folded) {
      folded.open = true;
    }
    field.focus();
  };

  // attempt runs what a button started, once at a time.
  const attempt = async (button, box, work) => {
    hideErrors();
    button.disabled = true;
    button.classList.add("busy");
    try {
      await work();
    } catch (failure) {
      if (failure.name === "reauthentication_required") {
        keep(button.form, (button.form.id === "token-form" ? edited : asked)?.id);
        location.assign(`/confirm?next=${encodeURIComponent(location.pathname)}`);
        return;
      }
      const beside = besides[failure.name];
      if (beside) {
        showBeside(beside, failure.message);
      } else {
        showError(failure, box);
      }
    } finally {
      button.disabled = false;
      button.classList.remove("busy");
    }
  };

  const say = (text) => {
    byId("token-status").textContent = text;
  };

  // Times, in the zone of the person.

  const zone = { timeZone: root.dataset.timeZone || undefined };
  const day = new Intl.DateTimeFormat("en-US", { ...zone, dateStyle: "medium" });
  const exact = new Intl.DateTimeFormat("en-US", { ...zone, dateStyle: "medium", timeStyle: "short" });
  const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ];

  // ago is such as "5 minutes ago", "in 2 days", or a date if that is far away.
  const ago = (at) => {
    const distance = new Date(at) - Date.now();
    if (Math.abs(distance) > 30 * units[0][1]) {
      return day.format(new Date(at));
    }
    for (const [unit, length] of units) {
      if (Math.abs(distance) >= length) {
        return relative.format(Math.round(distance / length), unit);
      }
    }
    return distance < 0 ? "just now" : "in a moment";
  };

  const time = (at, otherwise) => {
    if (!at) {
      return element("span", otherwise, { class: "muted" });
    }
    return element("time", ago(at), { datetime: at, title: exact.format(new Date(at)) });
  };

  const lastUse = (token) => (token.last_used_at ? `It was last used ${ago(token.last_used_at)}.` : "It has never been used.");

  // The list.

  const lines = (id) => byId(id).value.split(/[\s,]+/).filter((line) => line !== "");

  const number = (id) => (byId(id).value === "" ? null : Number(byId(id).value));

  const limits = (token) =>
    [
      token.requests_per_minute && `${token.requests_per_minute.toLocaleString("en-US")} requests a minute`,
      token.messages_per_month && `${token.messages_per_month.toLocaleString("en-US")} messages a month`,
      token.ip_ranges.length > 0 && `From ${token.ip_ranges.join(", ")}`,
      token.origins.length > 0 && `On ${token.origins.join(", ")}`,
      token.note,
    ].filter(Boolean);

  const scopeNames = { chat: "Ask questions", "conversations:read": "Read conversations", "conversations:write": "Change conversations", "knowledge:read": "Read documents", "knowledge:write": "Change documents" };

  const cell = (label, ...content) => {
    const made = element("td", "", { "data-label": label });
    made.append(...content);
    return made;
  };

  const stateOf = (token, replaced) => {
    if (token.status === "revoked") {
      return ["Revoked", ""];
    }
    if (token.status === "expired") {
      return ["Expired", ""];
    }
    if (token.over_limit) {
      return ["Suspended", "warn"];
    }
    return replaced ? ["Rolled", "warn"] : ["Active", "good"];
  };

  const item = (text, name, token, act, danger) => {
    const button = element("button", "", { type: "button", class: danger ? `${name} danger` : name, role: "menuitem" });
    button.append(element("span", text));
    button.addEventListener("click", () => act(token));
    return button;
  };

  const menuOf = (token, replaced) => {
    const id = `menu-${token.id}`;
    const button = element("button", "⋯", {
      type: "button",
      class: "button ghost square small row-menu",
      popovertarget: id,
      "aria-haspopup": "menu",
      "aria-label": `Actions for ${token.name}`,
    });
    const menu = element("div", "", { id, class: "menu", popover: "auto", role: "menu", "aria-label": `Actions for ${token.name}` });
    if (mayCreate) {
      menu.append(item("Rename", "rename", token, askToRename));
      if (token.status === "active") {
        menu.append(item("Edit …", "edit", token, askToEdit));
      }
    }
    if (mayCreate && !replaced && !token.over_limit) {
      menu.append(item("Roll …", "roll", token, askToRoll));
    }
    menu.append(item("Revoke …", "revoke", token, askToRevoke, true));
    menu.addEventListener("click", () => menu.hidePopover());
    return [button, menu];
  };

  const row = (token, replaced, actions) => {
    const made = element("tr", "", { "data-token-id": token.id, "data-status": token.status });
    const created = cell("Created");
    const maker = element("div", "", { class: "maker" });
    maker.append(time(token.created_at, "–"), element("p", token.created_by, { class: "hint", title: token.created_by }));
    created.append(maker);
    const [name, look] = stateOf(token, replaced);
    const may = token.scopes.map((scope) => element("div", scopeNames[scope] || scope, { title: scope, class: "nowrap" }));
    const hint = cell("Token");
    const kind = element("div", "", { class: "maker" });
    kind.append(
      element("code", token.hint, { class: "nowrap" }),
      element("p", token.kind === "publishable" ? "Publishable" : "Secret", { class: "hint", title: limits(token).join("\n") }),
    );
    hint.append(kind);
    const used = element("div", "", { class: "maker" });
    used.append(time(token.last_used_at, "Never"));
    if (token.last_used_ip) {
      used.append(element("p", token.last_used_ip, { class: "hint", title: token.last_used_agent || "" }));
    }
    const mays = cell("May");
    const list = element("div", "");
    list.append(...may);
    mays.append(list);
    made.append(
      element("th", token.name, { scope: "row" }),
      hint,
      mays,
      created,
      cell("Last used", used),
      cell("Expires", time(token.revoked_at || token.expires_at, "Never")),
      cell("Status", element("span", name, { class: `badge ${look}` })),
    );
    if (actions) {
      const last = element("td", "", { class: "actions" });
      last.append(...menuOf(token, replaced));
      made.append(last);
    }
    return made;
  };

  const showList = (tokens) => {
    const living = tokens.filter((token) => token.status === "active");
    const ended = tokens.filter((token) => token.status !== "active");
    const replaced = new Set(living.map((token) => token.replaces));
    byId("token-list").replaceChildren(...living.map((token) => row(token, replaced.has(token.id), mayManage)));
    byId("ended-list").replaceChildren(...ended.map((token) => row(token, false, false)));
    byId("token-section").hidden = living.length === 0;
    byId("ended-section").hidden = ended.length === 0;
    byId("ended-title").textContent = `Revoked and expired (${ended.length})`;
    byId("token-empty").hidden = living.length > 0 || byId("upgrade") !== null;
  };

  // focusRow brings the focus, which goes where the rows are made anew, to a token's
  // row, or else to where the next one is made.
  const focusRow = (made) => (made?.querySelector(".row-menu") || byId("new-token") || byId("tokens-title")).focus();

  const rows = () => [...byId("token-list").children];

  const rowOf = (token) => rows().find((made) => made.dataset.tokenId === token.id);

  const load = async () => {
    const { tokens } = await call("GET", address);
    showList(tokens);
    return tokens;
  };

  // Dialogs.

  let asked = null; // the token that a dialog is about

  const ask = (dialog, token) => {
    hideErrors();
    asked = token;
    for (const place of dialog.querySelectorAll(".token-name")) {
      place.textContent = token.name;
    }
    for (const place of dialog.querySelectorAll(".last-use")) {
      place.textContent = lastUse(token);
    }
    dialog.showModal();
  };

  const askToRename = (token) => {
    byId("rename-name").value = token.name;
    ask(byId("rename-dialog"), token);
    byId("rename-name").select();
  };

  const askToRoll = (token) => {
    byId("roll-days").value = "1";
    ask(byId("roll-dialog"), token);
  };

  const askToRevoke = (token) => ask(byId("revoke-dialog"), token);

  const at = (token) => `${address}/${encodeURIComponent(token.id)}`;

  // The secret.

  const curl = (secret) =>
    [
      `curl '${root.dataset.apiUrl}/chat' \\`,
      `  -H 'Authorization: Bearer ${secret}' \\`,
      "  -H 'Content-Type: application/json' \\",
      "  -d '{\"message\": \"Hello\"}'",
    ].join("\n");

  const inPage = (secret) =>
    [
      `const response = await fetch("${root.dataset.apiUrl}/chat", {`,
      '  method: "POST",',
      `  headers: { Authorization: "Bearer ${secret}", "Content-Type": "application/json" },`,
      '  body: JSON.stringify({ message: "Hello" }),',
      "});",
      "console.log((await response.json()).data.message);",
    ].join("\n");

  const select = (text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  let revealed = null; // the token whose secret is shown

  const showSecret = (created, note = "") => {
    revealed = { id: created.id, name: created.name };
    const secret = created.token;
    byId("token-secret").textContent = secret;
    const forPages = secret.startsWith("parley_pub_");
    byId("token-try").textContent = forPages ? "Use it on a page" : "Try it in a terminal";
    byId("token-curl").textContent = forPages ? inPage(secret) : curl(secret);
    byId("token-secret-copied").textContent = "";
    byId("token-curl-copied").textContent = "";
    byId("rolled-note").textContent = note;
    byId("rolled-note").hidden = note === "";
    byId("secret-dialog").showModal();
    byId("token-secret").focus();
    select(byId("token-secret"));
  };

  const hideSecret = () => {
    byId("token-secret").textContent = "";
    byId("token-curl").textContent = "";
    byId("secret-dialog").close();
    say(`“${revealed.name}” is in the list.`);
    focusRow(rowOf(revealed));
  };

  // The clipboard API is missing on pages without HTTPS.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      return true;
    } catch {
      select(text);
      return document.execCommand("copy");
    }
  };

  const listenToSecret = () => {
    for (const button of byId("secret-dialog").querySelectorAll("[data-copies]")) {
      button.addEventListener("click", async () => {
        const id = button.dataset.copies;
        const copied = await copy(byId(id));
        byId(`${id}-copied`).textContent = copied ? "Copied." : "It is selected. Copy it with your keyboard.";
      });
    }
    byId("secret-dialog").addEventListener("cancel", (event) => event.preventDefault());
    byId("token-done").addEventListener("click", hideSecret);
  };

  // Creating.

  const expiry = () => {
    const days = byId("token-days").value;
    if (days === "") {
      return null;
    }
    if (days === "date") {
      const [year, month, date] = byId("token-date").value.split("-").map(Number);
      return new Date(year, month - 1, date + 1).toISOString();
    }
    return new Date(Date.now() + Number(days) * units[0][1]).toISOString();
  };

  let edited = null; // the token that the form is about, or null for a new one

  const publishable = () => (edited ? edited.kind === "publishable" : byId("kind-publishable").checked);

  // settings are what the form says of a token.
  const settings = () => {
    const request = {
      name: byId("token-name").value,
      note: byId("token-note").value,
      ip_ranges: lines("token-ranges"),
      requests_per_minute: number("token-requests"),
      messages_per_month: number("token-messages"),
    };
    if (publishable()) {
      request.origins = lines("token-origins");
      request.visitor_requests_per_minute = number("token-visitor-requests");
    } else {
      request.scopes = [...root.querySelectorAll('[name="scope"]:checked')].map((box) => box.value);
    }
    if (byId("token-days").value !== "keep") {
      request.expires_at = expiry();
    }
    return request;
  };

  const save = async () => {
    if (edited) {
      const changed = await call("PATCH", at(edited), settings());
      byId("create-dialog").close();
      await load();
      say(`“${changed.name}” is saved.`);
      focusRow(rowOf(changed));
      return;
    }
    const created = await call("POST", address, { kind: publishable() ? "publishable" : "secret", ...settings() });
    byId("create-dialog").close();
    showSecret(created);
    await load();
  };

  // showForm empties the form, or fills it with a token's settings.
  const showForm = (token) => {
    hideErrors();
    edited = token;
    byId("token-form").reset();
    byId("create-title").textContent = token ? `Edit “${token.name}”` : "Create a token";
    byId("create-token").textContent = token ? "Save" : "Create token";
    byId("token-kinds").hidden = token !== null;
    byId("token-date-field").hidden = true;
    byId("token-date").required = false;
    byId("scopes-error").hidden = true;
    const keep = byId("token-days-keep");
    keep.hidden = keep.disabled = token === null;
    byId("token-days").value = token ? "keep" : "";
    byId("token-more").open = token !== null;
    if (token) {
      keep.textContent = token.expires_at ? `As now, ${exact.format(new Date(token.expires_at))}` : "As now, never";
      byId("token-name").value = token.name;
      byId("token-note").value = token.note;
      byId("token-ranges").value = token.ip_ranges.join("\n");
      byId("token-origins").value = token.origins.join("\n");
      byId("token-requests").value = token.requests_per_minute ?? "";
      byId("token-messages").value = token.messages_per_month ?? "";
      byId("token-visitor-requests").value = token.visitor_requests_per_minute ?? "";
      for (const box of root.querySelectorAll('[name="scope"]')) {
        box.checked = token.scopes.includes(box.value);
      }
    }
    showKind();
    byId("create-dialog").showModal();
    byId("token-name").focus();
  };

  const askToEdit = (token) => showForm(token);

  // showKind shows what a token of the chosen kind has.
  const showKind = () => {
    for (const part of byId("token-form").querySelectorAll(".publishable, .secret")) {
      part.hidden = part.classList.contains("publishable") !== publishable();
    }
  };

  const listenToCreate = () => {
    byId("new-token").addEventListener("click", () => showForm(null));
    byId("token-kinds").addEventListener("change", showKind);
    byId("token-days").addEventListener("change", () => {
      const date = byId("token-days").value === "date";
      byId("token-date-field").hidden = !date;
      byId("token-date").required = date;
      byId("token-date").min = new Date().toISOString().slice(0, 10);
    });
    byId("token-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const none = !publishable() && root.querySelector('[name="scope"]:checked') === null;
      byId("scopes-error").hidden = !none;
      if (none) {
        byId("scope-chat").focus();
        return;
      }
      attempt(byId("create-token"), byId("create-error"), save);
    });
  };

  // Renaming, rolling and revoking.

  const rename = async () => {
    const name = byId("rename-name").value;
    const renamed = await call("PATCH", at(asked), { name });
    byId("rename-dialog").close();
    await load();
    say(`The token is now called “${renamed.name}”.`);
    focusRow(rowOf(renamed));
  };

  const roll = async () => {
    const days = Number(byId("roll-days").value);
    const rolled = await call("POST", `${at(asked)}/roll`, { overlap_days: days });
    byId("roll-dialog").close();
    const note = days === 0 ? "The old token was revoked." : `The old token works for ${days === 1 ? "one more day" : `${days} more days`}, and no longer than its own expiry.`;
    showSecret(rolled, note);
    await load();
  };

  const revoke = async () => {
    const token = asked;
    const place = rows().indexOf(rowOf(token));
    await call("DELETE", at(token));
    byId("revoke-dialog").close();
    await load();
    say(`“${token.name}” is revoked.`);
    focusRow(rows()[place] || rows().at(-1));
  };

  const listenToForm = (form, button, box, work) => {
    byId(form).addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(byId(button), byId(box), work);
    });
  };

  // goOn opens again what was being done when the server asked who it is.
  const goOn = (tokens) => {
    const waits = mayCreate && kept();
    const about = waits && tokens.find((token) => token.id === waits.about);
    const open = { "token-form": () => showForm(about || null), "rename-form": () => askToRename(about), "roll-form": () => askToRoll(about) }[waits?.id];
    if (!open || (!about && (waits.about || waits.id !== "token-form"))) {
      return;
    }
    open();
    fill(byId(waits.id), waits.values);
  };

  if (mayCreate) {
    listenToCreate();
    listenToSecret();
    listenToForm("rename-form", "confirm-rename", "rename-error", rename);
    listenToForm("roll-form", "confirm-roll", "roll-error", roll);
  }
  if (mayManage) {
    byId("confirm-revoke").addEventListener("click", (event) => attempt(event.currentTarget, byId("revoke-error"), revoke));
    for (const button of root.querySelectorAll("[data-close]")) {
      button.addEventListener("click", () => button.closest("dialog").close());
    }
  }
  load().then(goOn).catch((failure) => showError(failure));
})();
