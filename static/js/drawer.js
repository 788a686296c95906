// The sidebar of small windows: a link to #sidebar opens it without this, and with
// this it takes the focus, keeps it, and gives it back.
const sidebar = document.getElementById("sidebar");
const opener = document.querySelector(".topbar [href='#sidebar']");
const rest = document.querySelector(".content");

const set = (open) => {
  sidebar.classList.toggle("open", open);
  rest.inert = open;
  opener.setAttribute("aria-expanded", String(open));
  (open ? sidebar.querySelector("a, button") : opener).focus();
};

if (sidebar && opener) {
  opener.setAttribute("role", "button");
  opener.setAttribute("aria-expanded", "false");
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    set(true);
  });
  for (const close of document.querySelectorAll(".sidebar .close, .veil")) {
    close.addEventListener("click", (event) => {
      event.preventDefault();
      set(false);
    });
  }
  addEventListener("keydown", (event) => event.key === "Escape" && sidebar.classList.contains("open") && set(false));
  matchMedia("(min-width: 900px)").addEventListener("change", (event) => event.matches && sidebar.classList.contains("open") && set(false));
}
