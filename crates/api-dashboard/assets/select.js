// Selecting several memories: shows what can be done with them, and how many they are.

/** Watches the boxes of the page. */
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
