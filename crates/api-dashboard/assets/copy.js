// Buttons that copy a key, a link, a command or a block of code.
import { announce } from "./toast.js";

/** A button that copies a text. */
export function copyButton(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await copied(typeof text === "function" ? text() : text);
    button.textContent = "Copied";
    announce("Copied");
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

/** Copies a text; also where the page has no access to the clipboard because it is not served securely. */
async function copied(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** The text that an element offers to copy; a path is completed to an address. */
const textOf = ({ dataset: { copy }, textContent }) => (copy?.startsWith("/v1") || copy?.startsWith("/mcp") ? location.origin + copy : copy || textContent);

/** Adds a button to every block of code and to everything that says so with data-copy. */
export function startCopying() {
  for (const block of document.querySelectorAll("main pre:not([aria-hidden], :has(> .copy))")) block.append(copyButton(() => block.querySelector("code")?.textContent ?? block.textContent));
  for (const one of document.querySelectorAll("main [data-copy]:not(:has(+ .copy))")) one.after(copyButton(textOf(one)));
}
