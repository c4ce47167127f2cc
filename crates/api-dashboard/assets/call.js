// Calls of operations under /v1, with errors in words for a person.
import { formToken } from "./entry.js";

/** Advice by the code of an error; the advice of the API itself is for programs. */
const ADVICE = {
  conflict: "It changed in the meantime; reload the page to see how it is now.",
  forgotten: "You had this text forgotten. To store it again, write it with other words.",
  rate_limited: "Wait a moment, then try again.",
  store_busy: "Nothing was changed. Try again in a moment.",
  unauthenticated: "Log in again.",
};

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/\s*\.?$/, ".");

/** Calls an operation and returns its response; throws the message of a failure. */
export async function call(method, path, body, match) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const token = formToken();
  if (token) headers["X-Form-Token"] = token;
  const memory = document.querySelector('meta[name="memory"]')?.content;
  if (memory) headers["X-Memory"] = memory;
  if (match) headers["If-Match"] = match;
  const answer = await fetch(path, { method, headers, body: method === "GET" ? undefined : JSON.stringify(body) }).catch(() => null);
  if (!answer) throw new Error("The server does not answer. Is it still running?");
  const result = await answer.json().catch(() => ({}));
  if (answer.ok) return result;
  const { message = "the server refused this", code } = result.error ?? {};
  throw new Error([sentence(message), ADVICE[code]].filter(Boolean).join(" "));
}
