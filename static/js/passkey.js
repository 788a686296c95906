// A form with data-passkey gets its answer from a passkey: the browser asks for one, or
// makes one where the form has data-passkey-makes. The address in the attribute says
// what is asked. Forms without a use in this browser stay hidden.
import { keep } from "./parley.js";

const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const described = (list = []) => list.map((known) => ({ ...known, id: decode(known.id) }));

const make = async (options) => {
  const made = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: decode(options.challenge),
      user: { ...options.user, id: decode(options.user.id) },
      excludeCredentials: described(options.excludeCredentials),
    },
  });
  return {
    id: made.id, rawId: encode(made.rawId), type: made.type, authenticatorAttachment: made.authenticatorAttachment ?? undefined,
    clientExtensionResults: made.getClientExtensionResults(),
    response: {
      clientDataJSON: encode(made.response.clientDataJSON), attestationObject: encode(made.response.attestationObject),
      transports: made.response.getTransports?.() ?? [],
    },
  };
};

const ask = async (options) => {
  const given = await navigator.credentials.get({
    publicKey: { ...options, challenge: decode(options.challenge), allowCredentials: described(options.allowCredentials) },
  });
  return {
    id: given.id, rawId: encode(given.rawId), type: given.type, authenticatorAttachment: given.authenticatorAttachment ?? undefined,
    clientExtensionResults: given.getClientExtensionResults(),
    response: {
      clientDataJSON: encode(given.response.clientDataJSON), authenticatorData: encode(given.response.authenticatorData),
      signature: encode(given.response.signature), userHandle: given.response.userHandle ? encode(given.response.userHandle) : undefined,
    },
  };
};

const reasons = {
  NotAllowedError: "That was canceled, or took too long. Try again.",
  InvalidStateError: "This device has a passkey of yours already.",
  SecurityError: "Passkeys do not work at this address.",
};

const supported = window.PublicKeyCredential !== undefined;
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const says = form.querySelector("[data-passkey-error]");
  const makes = form.dataset.passkeyMakes !== undefined;
  form.hidden = !supported && !makes;
  const answer = form.querySelector("input[name$=answer]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    says.hidden = true;
    const button = form.querySelector("button");
    button.classList.add("busy");
    try {
      if (!supported) {
        throw new Error("This browser has no passkeys.");
      }
      const response = await fetch(form.dataset.passkey, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
      if (response.headers.get("X-Error-Code") === "reauthentication_required") {
        keep(form);
        location.assign(`/confirm?next=${encodeURIComponent(location.pathname)}`);
        return;
      }
      const options = await response.json();
      if (!response.ok) {
        throw new Error(options.message ?? options.error_message);
      }
      answer.value = JSON.stringify(await (makes ? make : ask)(options));
      form.submit();
    } catch (failure) {
      says.textContent = reasons[failure.name] ?? (failure.message || "That did not work. Try again.");
      says.hidden = false;
      button.classList.remove("busy");
    }
  });
}
