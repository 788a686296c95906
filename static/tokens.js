// Lists, creates and revokes the API tokens of a chatbot over the management
// routes. Every text from the server is inserted as text, never as HTML.
"use strict";

(() => {
  const root = document.getElementById("tokens");
  const address = `/api/chatbots/${encodeURIComponent(root.dataset.chatbotId)}/api-tokens`;
  const mayManage = root.hasAttribute("data-may-manage");
  const byId = (id) => document.getElementById(id);

  // The codes of the envelope's "error" that this page knows what to do about.
  const unauthenticated = 1;
  const forbidden = 2;

  class Failure extends Error {
    constructor(message, code, requestId) {
      super(message);
      this.code = code;
      this.requestId = requestId;
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
      throw new Failure(envelope.error_message, envelope.error, requestId);
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

  const remedy = (code) => {
    if (code === unauthenticated) {
      return element("a", "Sign in", { href: `/sign-in?next=${encodeURIComponent(location.pathname)}` });
    }
    if (code === forbidden) {
      return element("a", "Go to the plan", { href: root.dataset.planUrl });
    }
    return null;
  };

  const showError = (failure) => {
    const box = byId("token-error");
    box.replaceChildren(element("p", failure.message));
    const link = remedy(failure.code);
    if (link) {
      box.append(element("p", ""));
      box.lastChild.append(link);
    }
    if (failure.requestId) {
      box.append(element("p", `Request ${failure.requestId}`, { class: "hint" }));
    }
    box.hidden = false;
  };

  const hideError = () => {
    byId("token-error").hidden = true;
    byId("token-error").replaceChildren();
  };

  // attempt runs what a button started, once at a time.
  const attempt = async (button, work) => {
    hideError();
    button.disabled = true;
    try {
      await work();
    } catch (failure) {
      showError(failure);
    } finally {
      button.disabled = false;
    }
  };

  const say = (text) => {
    byId("token-status").textContent = text;
  };

  // The list.

  const statusNames = { active: "Active", expired: "Expired", revoked: "Revoked" };

  const time = (at, otherwise) => {
    if (!at) {
      return document.createTextNode(otherwise);
    }
    const shown = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    return element("time", shown, { datetime: at });
  };

  const cell = (...content) => {
    const made = document.createElement("td");
    made.append(...content);
    return made;
  };

  const revokeButton = (token) => {
    const button = element("button", "Revoke", {
      type: "button",
      class: "revoke danger",
      "aria-label": `Revoke ${token.name}`,
    });
    button.addEventListener("click", () => askToRevoke(token));
    return button;
  };

  const state = (token) => {
    const made = cell(element("span", statusNames[token.status] || token.status, { class: `state ${token.status}` }));
    if (token.over_limit && token.status === "active") {
      made.append(element("p", "Suspended: over the limit", { class: "error" }));
    }
    return made;
  };

  const row = (token) => {
    const made = element("tr", "", { "data-token-id": token.id, "data-status": token.status });
    const created = cell(time(token.created_at, "–"), document.createElement("br"));
    created.append(element("span", `by ${token.created_by}`, { class: "hint" }));
    made.append(
      element("th", token.name, { scope: "row" }),
      cell(element("code", token.hint)),
      state(token),
      created,
      cell(time(token.last_used_at, "Never")),
      cell(time(token.revoked_at || token.expires_at, "Never")),
    );
    if (mayManage) {
      made.append(token.status === "active" ? cell(revokeButton(token)) : cell());
    }
    return made;
  };

  const showList = (tokens) => {
    byId("token-list").replaceChildren(...tokens.map(row));
    byId("token-table").hidden = tokens.length === 0;
    byId("token-empty").hidden = tokens.length !== 0;
  };

  const load = async () => showList((await call("GET", address)).tokens);

  // Creating.

  const expiry = (days) => {
    const at = new Date();
    at.setUTCDate(at.getUTCDate() + Number(days));
    return at.toISOString();
  };

  const curl = (secret) =>
    [
      `curl '${root.dataset.apiUrl}/chat' \\`,
      `  -H 'Authorization: Bearer ${secret}' \\`,
      "  -H 'Content-Type: application/json' \\",
      "  -d '{\"message\": \"Hello\"}'",
    ].join("\n");

  const showSecret = (secret) => {
    byId("token-secret").textContent = secret;
    byId("token-curl").textContent = secret ? curl(secret) : "";
    byId("token-secret-copied").textContent = "";
    byId("token-curl-copied").textContent = "";
    byId("token-created").hidden = !secret;
  };

  const create = async () => {
    const request = { name: byId("token-name").value };
    const days = byId("token-days").value;
    if (days) {
      request.expires_at = expiry(days);
    }
    const created = await call("POST", address, request);
    byId("token-form").reset();
    showSecret(created.token);
    byId("created-title").focus();
    await load();
  };

  // Revoking.

  let toRevoke = null;

  const askToRevoke = (token) => {
    toRevoke = token;
    byId("revoke-name").textContent = token.name;
    byId("revoke-dialog").showModal();
  };

  const revoke = async () => {
    const token = toRevoke;
    byId("revoke-dialog").close();
    await call("DELETE", `${address}/${encodeURIComponent(token.id)}`);
    await load();
    say(`“${token.name}” is revoked.`);
    byId("tokens-title").focus();
  };

  const listenToCreate = () => {
    byId("token-form").addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(byId("create-token"), create);
    });
    byId("token-done").addEventListener("click", () => {
      showSecret("");
      byId("token-name").focus();
    });
  };

  const listenToRevoke = () => {
    byId("confirm-revoke").addEventListener("click", (event) => attempt(event.currentTarget, revoke));
    byId("cancel-revoke").addEventListener("click", () => byId("revoke-dialog").close());
  };

  if (byId("token-form")) {
    listenToCreate();
  }
  if (mayManage) {
    listenToRevoke();
  }
  load().catch(showError);
})();
