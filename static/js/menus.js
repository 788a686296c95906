// Menus are popovers. This puts one below its button, moves through it with the
// arrow keys, and closes it when the focus leaves.
const place = (menu) => {
  const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
  if (!button) {
    return;
  }
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const room = { right: document.documentElement.clientWidth, bottom: innerHeight };
  const start = menu.dataset.align === "start" ? at.left : at.right - width;
  const below = at.bottom + 4 + height <= room.bottom || at.top < height + 4;
  menu.style.left = `${Math.max(8, Math.min(start, room.right - width - 8))}px`;
  menu.style.top = `${below ? Math.min(at.bottom + 4, Math.max(8, room.bottom - height - 8)) : at.top - height - 4}px`;
};

const items = (menu) => [...menu.querySelectorAll("a[href], button:not(:disabled)")];

document.addEventListener(
  "toggle",
  (event) => {
    const menu = event.target;
    if (!(menu instanceof HTMLElement) || !menu.matches(".menu[popover]")) {
      return;
    }
    const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
    button?.setAttribute("aria-expanded", String(event.newState === "open"));
    if (event.newState === "open") {
      place(menu);
      items(menu)[0]?.focus({ preventScroll: true });
    }
  },
  true,
);

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.(".menu[popover]");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!menu) {
    return;
  }
  const all = items(menu);
  if (step) {
    event.preventDefault();
    all.at((all.indexOf(document.activeElement) + step) % all.length)?.focus();
  } else if (event.key === "Home" || event.key === "End") {
    event.preventDefault();
    all.at(event.key === "Home" ? 0 : -1)?.focus();
  }
});

document.addEventListener("focusout", (event) => {
  const menu = event.target.closest?.(".menu:popover-open");
  if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) {
    menu.hidePopover();
  }
});

document.addEventListener("click", (event) => event.target.closest?.(".menu [commandfor], .menu [data-opens], .menu [data-closes]") && event.target.closest(".menu").hidePopover());

const follow = () => document.querySelectorAll(".menu:popover-open").forEach(place);
addEventListener("resize", follow);
addEventListener("scroll", follow, { passive: true, capture: true });
