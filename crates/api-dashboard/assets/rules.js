// A table or collection that is not listed is added to the rules by its name; what it may be called the server says.

/** The row where the rule for a place is chosen; a new one begins with reading. */
function add(adder) {
  const [sort, name] = [adder.querySelector("select"), adder.querySelector("input")];
  if (name.value.trim() === "") return name.focus();
  const place = `${sort.value}/${name.value.trim()}`;
  const choices = [...adder.closest("form").elements];
  const choice = choices.find((field) => field.name === place) ?? appended(adder, place);
  name.value = "";
  choice.focus();
}

function appended(adder, place) {
  const row = adder.querySelector("template").content.firstElementChild.cloneNode(true);
  row.querySelector("code").textContent = place;
  const choice = row.querySelector("select");
  choice.name = place;
  choice.setAttribute("aria-label", `What it may do with ${place}`);
  choice.value = "read";
  document.querySelector(adder.dataset.adds).append(row);
  return choice;
}

/** Watches where a place is named. Enter adds it, and does not send the form. */
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
