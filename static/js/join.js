// Puts the code of a link from a mail or an invitation into the form. A fragment
// never reaches the server, so no log and no Referer header holds the code.
const code = location.hash.slice(1);
if (code !== "") {
  document.getElementById("code").value = code;
  document.querySelector("#password, button[type=submit]").focus();
  history.replaceState(null, "", location.pathname);
}
