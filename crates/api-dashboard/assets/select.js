// Selection of several memories: shows their number and the available actions.

/** Starts the checkboxes of the page. */
export function startSelection() {
  const bar = document.getElementById("bulk");
  if (!bar) return;
  const count = () => {
    const picked = document.querySelectorAll(".pick:checked").length;
    document.getElementById("picked").textContent = picked;
    bar.hidden = picked === 0;
  };
  document.addEventListener("change", (event) => event.target.matches(".pick") && count());
  count();
}
