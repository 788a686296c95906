// Shows how long ago a <time data-relative> is, with the exact local time on
// hover, and the local time in <time data-local>. The zone is the person's choice,
// or else the browser's own.
const zone = document.documentElement.dataset.zone || undefined;
const exact = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", timeZone: zone });
const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: zone });
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto", style: "short" });
const units = [["minute", 60], ["hour", 3_600], ["day", 86_400]];

const ago = (at, now) => {
  const seconds = (at - now) / 1_000;
  if (Math.abs(seconds) < 45) {
    return seconds > 0 ? "in a moment" : "just now";
  }
  if (Math.abs(seconds) > 2_592_000) {
    return day.format(at);
  }
  const [unit, size] = units.findLast(([, size]) => Math.abs(seconds) >= size * 0.95) ?? units[0];
  return relative.format(Math.round(seconds / size), unit);
};

export const show = (root = document) => {
  const now = Date.now();
  for (const time of root.querySelectorAll("time[data-relative], time[data-local]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) {
      time.title = exact.format(at);
      time.textContent = "local" in time.dataset ? exact.format(at) : ago(at, now);
    }
  }
};

show();
setInterval(show, 30_000);
document.addEventListener("parley:shown", (event) => show(event.target));
