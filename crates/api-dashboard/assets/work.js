// Jobs (import, export, backup) with their progress, as the server reports it.
import { call } from "./call.js";
import { refresh, toast } from "./toast.js";

/** Number of bytes of a file sent in one request. */
const PART = 512 * 1024;

/** Number of times that a browser connects again to watch a job. */
const RECONNECTIONS = 5;

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Sends a file in parts. */
async function send(file, id, options, show) {
  for (let at = 0; at < file.size; at += PART) {
    const part = new Uint8Array(await file.slice(at, at + PART).arrayBuffer());
    await call("POST", `/v1/imports/${id}/parts`, { data: base64(part) });
    show(at + part.length, file.size, "sending", "bytes");
  }
  await call("POST", `/v1/imports/${id}/start`, options);
}

/** Waits until a job has ended; resolves with its result. */
function ended(id, show) {
  let lost = 0;
  return new Promise((done, failed) => {
    const source = new EventSource(`/v1/events/work/${id}`);
    const parse = (event) => JSON.parse(event.data);
    source.addEventListener("progress", (event) => { const { done, total, unit } = parse(event); lost = 0; show(done, total, "in progress", unit); });
    source.addEventListener("done", (event) => { source.close(); done(parse(event)); });
    source.addEventListener("failed", (event) => { source.close(); failed(new Error(parse(event).said)); });
    // The browser connects again by itself, and another server may answer.
    source.addEventListener("error", () => {
      lost += 1;
      if (source.readyState !== EventSource.CLOSED && lost <= RECONNECTIONS) return;
      source.close();
      failed(new Error("The server no longer answers."));
    });
  });
}

const sizeText = (bytes) => (bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** How far a job is: percent, rate, and the time that is left. */
export function progressText(word, done, total, seconds, unit) {
  const percent = Math.floor((done / total) * 100);
  const rate = seconds > 0.5 ? done / seconds : 0;
  const size = unit === "bytes" ? sizeText : (count) => String(Math.round(count));
  const parts = [`${word}: ${percent} %`, `${size(done)} of ${size(total)}`];
  if (rate > 0) parts.push(`${size(rate)} per second`);
  if (rate > 0 && done < total) parts.push(`${timeText((total - done) / rate)} left`);
  return parts.join(", ");
}

const timeText = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);

async function run(form) {
  const { work: path, told: name } = form.dataset;
  const [bar, said] = [document.getElementById(`${name}-progress`), document.getElementById(`${name}-said`)];
  let phase, began;
  const show = (done, total, word, unit) => {
    if (phase !== word) [phase, began] = [word, performance.now()];
    bar.hidden = false;
    if (total > 0) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    said.textContent = total > 0 ? progressText(word, done, total, (performance.now() - began) / 1000, unit) : `${word} …`;
  };
  said.textContent = "";
  said.classList.remove("problem");
  said.setAttribute("role", "status");
  try {
    const { work } = await call("POST", path, form.elements.format ? { format: form.elements.format.value } : {});
    const file = form.elements.file?.files[0];
    const options = { include_forgotten: form.elements.forgotten?.value === "include", name: file?.name ?? "" };
    if (file) await send(file, work, options, show);
    const end = await ended(work, show);
    said.textContent = end.said;
    if (form.dataset.then === "show") {
      await refresh();
      toast(`${end.said}.`);
    }
    if (end.file) location.assign(end.file);
  } catch (error) {
    said.textContent = error.message;
    said.classList.add("problem");
    said.setAttribute("role", "alert");
  } finally {
    bar.hidden = true;
  }
}

/** Makes the forms of jobs start them. */
export function startWork() {
  for (const form of document.querySelectorAll("form[data-work]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const button = form.querySelector("button");
      button.disabled = true;
      await run(form);
      button.disabled = false;
    });
  }
}
