// Adds a rule for an unlisted table or collection by name. The server validates the name.

/** Adds or focuses the row of a resource; a new one starts with reading. */
function add(adder) {
  const [sort, name] = [adder.querySelector("select"), adder.querySelector("input")];
  if (name.value.trim() === "") return name.focus();
  const resource = `${sort.value}/${name.value.trim()}`;
  const choices = [...adder.closest("form").elements];
  const label = sort.value === "tables" ? `the table ${name.value.trim()}` : `the collection ${name.value.trim()}`;
  const choice = choices.find((field) => field.name === resource) ?? appended(adder, resource, label);
  name.value = "";
  choice.focus();
}

function appended(adder, resource, label) {
  const row = adder.querySelector("template").content.firstElementChild.cloneNode(true);
  row.querySelector("span").textContent = label;
  const choice = row.querySelector("select");
  choice.name = resource;
  choice.setAttribute("aria-label", `What it may do with ${label}`);
  choice.value = "read";
  document.querySelector(adder.dataset.adds).append(row);
  return choice;
}

/** Sets the rule for everything, and removes the others. */
function preset(event) {
  const value = event.target.closest?.("[data-preset]")?.dataset.preset;
  if (!value) return;
  for (const field of event.target.closest("form").querySelectorAll("select[data-nest]")) {
    // Deleting without asking is never part of a preset.
    if (field.name !== "erase") field.value = field.name === "*" ? value : "";
  }
}

/** Starts the presets and the inputs for resource names. Enter adds the resource and does not send the form. */
export function startRules() {
  for (const group of document.querySelectorAll("[aria-label=Presets]")) group.addEventListener("click", preset);
  for (const adder of document.querySelectorAll("[data-adds]")) {
    adder.querySelector("button").addEventListener("click", () => add(adder));
    adder.querySelector("input").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      add(adder);
    });
  }
}
