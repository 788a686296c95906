// Remembers in this browser the pages that somebody opened last in a workspace,
// for the palette to list first. Signing out forgets them.
const prefix = "parley-recent:";
const most = 6;
const workspace = document.getElementById("palette")?.dataset.workspace;

// storage may be refused, as by a browser that keeps nothing.
const quietly = (use, otherwise) => {
  try {
    return use();
  } catch {
    return otherwise;
  }
};

const forget = () => quietly(() => Object.keys(localStorage).filter((name) => name.startsWith(prefix)).forEach((name) => localStorage.removeItem(name)));

const all = () => quietly(() => JSON.parse(localStorage.getItem(prefix + workspace)) ?? [], []);

// recent are the pages before this one, the latest first.
export const recent = () => all().filter((page) => page.url !== location.pathname).slice(0, most - 1);

const remember = () => {
  const icon = document.querySelector(".sidebar [aria-current=page]")?.dataset.icon;
  const status = performance.getEntriesByType("navigation")[0]?.responseStatus || 200;
  if (workspace && icon && status === 200) {
    const page = { text: document.title.replace(/ – Parley$/, ""), icon, url: location.pathname, about: "Recent" };
    quietly(() => localStorage.setItem(prefix + workspace, JSON.stringify([page, ...all().filter((other) => other.url !== page.url)].slice(0, most))));
  }
};

if (document.body.dataset.person === undefined) {
  forget();
} else {
  remember();
  document.addEventListener("submit", (event) => event.target.matches('form[action="/sign-out"]') && forget());
}
