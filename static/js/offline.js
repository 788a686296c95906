// Says so while the browser has no network, and keeps forms from being sent into
// nothing: what was typed stays where it is.
import { toast } from "./toasts.js";

let banner;

const say = () => {
  banner?.remove();
  banner = undefined;
  if (navigator.onLine) {
    return;
  }
  banner = document.createElement("div");
  banner.className = "offline";
  banner.setAttribute("role", "status");
  banner.textContent = "You're offline. What you typed stays here; send it when you're back.";
  document.body.prepend(banner);
};

addEventListener("online", say);
addEventListener("offline", say);
document.addEventListener(
  "submit",
  (event) => {
    if (!navigator.onLine && event.target.method === "post") {
      event.preventDefault();
      event.stopImmediatePropagation();
      toast("You're offline, so nothing was sent. Try again when you're back.", { danger: true });
    }
  },
  true,
);
say();
