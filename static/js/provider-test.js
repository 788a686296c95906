// A button with data-tests sends its form to be tried, and shows the result beside it.
// The form stays as it is, with the key in it.
for (const button of document.querySelectorAll("[data-tests]")) {
  const form = button.form;
  const result = form.querySelector("#test-result");

  const show = (said) => {
    result.textContent = said.message;
    result.className = `banner ${said.works ? "good" : "danger"}`;
    result.hidden = false;
    for (const input of form.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
    }
    const wrong = said.field && form.elements[said.field];
    if (wrong) {
      wrong.setAttribute("aria-invalid", "true");
      wrong.focus();
    }
  };

  button.addEventListener("click", async (event) => {
    event.preventDefault();
    button.disabled = true;
    button.classList.add("busy");
    show({ works: true, message: "Asking the provider …" });
    const said = await fetch(button.formAction, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
    })
      .then((response) => response.json())
      .catch(() => ({ works: false, message: "The test did not work. Try again in a moment." }));
    show(said);
    button.disabled = false;
    button.classList.remove("busy");
  });
}
