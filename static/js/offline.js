// Says so while the browser has no network or the server does not answer, and
// keeps forms from being sent, and links from being followed, into nothing: what was
// typed stays where it is. It also says when the session has ended.
import { toast } from "./toasts.js";

const every = 3_000;
let away = false;
let ended = false;
let banner;

const text = () => {
  if (ended) {
    return "You've been signed out. What you typed stays here. ";
  }
  if (!navigator.onLine) {
    return "You're offline. What you typed stays here; send it when you're back.";
  }
  return away ? "The server doesn't answer. What you typed stays here; we keep trying." : "";
};

const say = () => {
  const now = text();
  if (now === (banner?.firstChild.data ?? "")) {
    return;
  }
  banner?.remove();
  banner = undefined;
  if (now) {
    banner = document.createElement("div");
    banner.className = "offline";
    banner.setAttribute("role", "status");
    banner.append(now);
    if (ended) {
      const enter = Object.assign(document.createElement("a"), { href: "/sign-in", target: "_blank", textContent: "Sign in again in a new tab" });
      banner.append(enter);
    }
    document.body.prepend(banner);
  }
};

const ask = async () => {
  if (!document.hidden && navigator.onLine) {
    away = await fetch("/healthz", { cache: "no-store" }).then((response) => !response.ok, () => true);
    say();
  }
  if (away) {
    setTimeout(ask, every);
  }
};

// missed says that the server did not answer; a part that is read again and again
// finds out first.
export const missed = () => away || ask(); // a page that is being left misses answers, too

// answered says that it did, as somebody whose session has ended or has not.
export const answered = (signedOut = false) => {
  away = false;
  ended = signedOut;
  say();
};

const unreachable = () => !navigator.onLine || away;

addEventListener("online", say);
addEventListener("offline", say);
document.addEventListener(
  "submit",
  (event) => {
    if (unreachable() && event.target.method === "post") {
      event.preventDefault();
      event.stopImmediatePropagation();
      toast(`${navigator.onLine ? "The server doesn't answer" : "You're offline"}, so nothing was sent. Try again in a moment.`, { danger: true });
    }
  },
  true,
);
document.addEventListener(
  "click",
  (event) => {
    const link = event.target.closest?.("a[href]");
    if (link && unreachable() && link.origin === location.origin && !link.getAttribute("href").startsWith("#") && !link.hasAttribute("data-opens")) {
      event.preventDefault();
      event.stopImmediatePropagation();
      toast(`${navigator.onLine ? "The server doesn't answer" : "You're offline"}, so this page can't open. Try again in a moment.`, { danger: true });
    }
  },
  true,
);
say();
