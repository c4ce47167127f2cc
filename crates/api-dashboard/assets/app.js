// Entry point of every page: shows confirmations and relative times, and starts the other modules.
import { startEntry } from "./entry.js";
import { startForms } from "./forms.js";
import { startKeys } from "./keys.js";
import { startLive } from "./live.js";
import { startRules } from "./rules.js";
import { startSelection } from "./select.js";
import { startWork } from "./work.js";

/** Shows a message on the next page. */
export function flashNext(text) {
  sessionStorage.setItem("flash", text);
}

function showFlash() {
  const text = sessionStorage.getItem("flash");
  sessionStorage.removeItem("flash");
  const place = document.getElementById("flash");
  if (text && place) place.textContent = text;
}

const STEPS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function showRelativeTimes() {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const seconds = (at - Date.now()) / 1000;
    const [unit, length] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
    time.textContent = words.format(Math.round(seconds / length), unit);
    time.title = at.toLocaleString();
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

startEntry();
showFlash();
showRelativeTimes();
startTheme();
startForms();
startKeys();
startRules();
startSelection();
// Only the graph page loads the graph.
if (document.getElementById("graph")) import("./graph.js").then(({ startGraph }) => startGraph());
startLive();
startWork();
document.documentElement.dataset.ready = "true";
