var e=location.hash.slice(1);e!==""&&(document.getElementById("code").value=e,document.querySelector("#password, button[type=submit]").focus(),history.replaceState(null,"",location.pathname));
