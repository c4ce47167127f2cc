// Entry point of every page: starts the other modules, and shows relative times, which go on ticking.
import { startCopying } from "./copy.js";
import { startEntry } from "./entry.js";
import { startForms } from "./forms.js";
import { startKeys } from "./keys.js";
import { startLists } from "./list.js";
import { startLive } from "./live.js";
import { startPalette } from "./palette.js";
import { startRules } from "./rules.js";
import { showLeftToast, toastNext } from "./toast.js";

/** Shows a message on the next page. */
export const flashNext = toastNext;

const STEPS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function showRelativeTimes() {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const seconds = (at - Date.now()) / 1000;
    time.title = at.toLocaleString();
    if (Math.abs(seconds) < 45) { time.textContent = "just now"; continue; }
    const [unit, length] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
    time.textContent = words.format(Math.round(seconds / length), unit);
  }
}

function startTheme() {
  const root = document.documentElement;
  document.getElementById("theme")?.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  });
}

/** Modules that only some pages need: what such a page contains, the module, and what starts it. */
const PARTS = [
  ["table[data-grid]", "./grid.js", "startGrid"],
  ["#sql, #chart-column", "./sql.js", "startSql"],
  ["form[data-work]", "./work.js", "startWork"],
  ["[data-tree], .waiting", "./profile.js", "startProfile"],
  ["#graph", "./graph.js", "startGraph"],
];

async function startParts() {
  const needed = PARTS.filter(([what]) => document.querySelector(what));
  const modules = await Promise.all(needed.map(([, name]) => import(name)));
  modules.forEach((module, at) => module[needed[at][2]]());
}

/** What belongs to the content of a page, and is started anew when the content is replaced. */
async function startPage() {
  showRelativeTimes();
  startCopying();
  startRules();
  startLive();
  await startParts();
  const part = document.getElementById(location.hash.slice(1))?.closest("details");
  if (part) part.open = true;
}

/** Opens and closes the list of all pages on a small screen. */
function startMore() {
  const more = document.getElementById("more");
  more?.addEventListener("click", () => {
    const open = document.body.classList.toggle("more");
    more.setAttribute("aria-expanded", String(open));
  });
}

startEntry();
startTheme();
startMore();
startForms();
startKeys();
startLists();
startPalette();
document.addEventListener("shown", startPage);
document.addEventListener("times", showRelativeTimes);
setInterval(showRelativeTimes, 30000);
startPage().then(() => {
  showLeftToast();
  document.documentElement.dataset.ready = "true";
});
