// A form is sent once: its button waits. Menus of choices with data-goes send
// their form as soon as one is chosen. Ctrl or ⌘ and Enter sends the form one is in.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.target) {
    return;
  }
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  event.submitter?.classList.add("busy");
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.querySelectorAll(".busy").forEach((button) => button.classList.remove("busy"));
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches?.("select[data-goes]")) {
    event.target.form.requestSubmit();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && event.target.form?.method === "post") {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});
