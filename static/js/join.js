// Puts the code of a link from a mail or an invitation into the form. A fragment
// never reaches the server, so no log and no Referer header holds the code.
const code = location.hash.slice(1);
if (code !== "") {
  const input = document.getElementById("code");
  input.value = code;
  // Nobody needs to see it: it comes back beside its error if it is wrong.
  input.closest(".field").hidden = true;
  document.querySelector("#password, button[type=submit]").focus();
  history.replaceState(null, "", location.pathname);
}
