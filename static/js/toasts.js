// Messages about what was done go away by themselves, later when they can be
// undone, and not while somebody points at them or is in them.
const lifetime = (toast) => (toast.querySelector("form") ? 10_000 : 6_000);

const watch = (toast) => {
  let timer;
  const start = () => {
    clearTimeout(timer);
    timer = setTimeout(() => toast.remove(), lifetime(toast));
  };
  const stop = () => clearTimeout(timer);
  toast.addEventListener("pointerenter", stop);
  toast.addEventListener("pointerleave", start);
  toast.addEventListener("focusin", stop);
  toast.addEventListener("focusout", start);
  toast.querySelector("[data-dismiss]")?.addEventListener("click", () => toast.remove());
  start();
};

document.querySelectorAll(".toast").forEach(watch);

// toast shows a message that a script has.
export const toast = (text, { danger = false } = {}) => {
  const place = document.querySelector(".toasts");
  const made = document.getElementById("toast-pattern").content.firstElementChild.cloneNode(true);
  made.classList.toggle("danger", danger);
  if (danger) {
    const icon = made.querySelector("use");
    icon.setAttribute("href", icon.getAttribute("href").replace("#circle-check", "#circle-alert"));
  }
  made.querySelector("p").textContent = text;
  place.append(made);
  watch(made);
};
