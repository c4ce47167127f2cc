// Adds a rule for an unlisted table or collection by name. The server validates the name.

/** Adds or focuses the row of a resource; a new one starts with reading. */
function add(adder) {
  const [sort, name] = [adder.querySelector("select"), adder.querySelector("input")];
  if (name.value.trim() === "") return name.focus();
  const resource = `${sort.value}/${name.value.trim()}`;
  const choices = [...adder.closest("form").elements];
  const choice = choices.find((field) => field.name === resource) ?? appended(adder, resource);
  name.value = "";
  choice.focus();
}

function appended(adder, resource) {
  const row = adder.querySelector("template").content.firstElementChild.cloneNode(true);
  row.querySelector("code").textContent = resource;
  const choice = row.querySelector("select");
  choice.name = resource;
  choice.setAttribute("aria-label", `What it may do with ${resource}`);
  choice.value = "read";
  document.querySelector(adder.dataset.adds).append(row);
  return choice;
}

/** Starts the inputs for resource names. Enter adds the resource and does not send the form. */
export function startRules() {
  for (const adder of document.querySelectorAll("[data-adds]")) {
    adder.querySelector("button").addEventListener("click", () => add(adder));
    adder.querySelector("input").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      add(adder);
    });
  }
}
