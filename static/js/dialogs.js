// Dialogs and sheets open by a button with data-opens="ID", where the browser
// does not know commandfor. A click beside one closes it, unless it has
// data-keeps, and opening one by its address (#ID) works, so that links can.
const invokes = "commandForElement" in HTMLButtonElement.prototype;

const open = (id) => {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) {
    dialog.showModal();
    return true;
  }
  return false;
};

document.addEventListener("click", (event) => {
  const opener = event.target.closest?.("[data-opens]");
  if (opener && !(invokes && opener.hasAttribute("commandfor"))) {
    event.preventDefault();
    open(opener.dataset.opens);
    return;
  }
  const dialog = event.target;
  if (dialog instanceof HTMLDialogElement && dialog.open && !("keeps" in dialog.dataset)) {
    const box = dialog.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside && event.detail > 0) {
      dialog.close();
    }
  }
});

const byAddress = () => location.hash.length > 1 && open(decodeURIComponent(location.hash.slice(1)));
addEventListener("hashchange", byAddress);
byAddress();

// A dialog whose form was refused opens again with what was typed.
for (const dialog of document.querySelectorAll("dialog[data-refused]")) {
  dialog.showModal();
}
