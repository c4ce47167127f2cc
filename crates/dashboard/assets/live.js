// What goes on while a page is open: progress and events that the server tells by itself.

function embedding(bar) {
  const source = new EventSource(bar.dataset.events);
  source.addEventListener("progress", (event) => {
    const { done, total } = JSON.parse(event.data);
    bar.max = Math.max(1, total);
    bar.value = done;
    document.getElementById("embedded").textContent = `${done} of ${total} memories`;
  });
  source.addEventListener("done", () => source.close());
  source.addEventListener("error", () => source.close());
}

/** Listens for what the page shows live. */
export function startLive() {
  const bar = document.getElementById("embedding");
  if (bar) embedding(bar);
}
