// What a login hands to the browser, and the way from the plain address of the server to the dashboard. Both are kept
// in the local storage, which belongs to one port; cookies go to every port of a host.

const metaValue = (name) => document.querySelector(`meta[name="${name}"]`)?.content;

/** The token without which nothing is changed; null before the login. */
export const formToken = () => localStorage.getItem("form-token");

/** Goes to the dashboard, unless this browser does not find its name. */
async function open(dashboard, go) {
  try {
    await fetch(`${dashboard}/healthz`, { mode: "no-cors", referrerPolicy: "no-referrer" });
    location.replace(go);
  } catch {
    document.getElementById("unreachable").hidden = false;
  }
}

/** Stores what the page hands out, and goes where it leads. */
export function startEntry() {
  const [token, dashboard, tag, go, next, otherwise] = ["form-token", "dashboard", "dashboard-tag", "go", "next", "otherwise"].map(metaValue);
  if (token) localStorage.setItem("form-token", token);
  if (dashboard) localStorage.setItem("dashboard", JSON.stringify({ origin: dashboard, tag }));
  if (dashboard) return open(dashboard, go);
  if (go) return location.replace(go);
  const known = JSON.parse(localStorage.getItem("dashboard") ?? "null");
  if (next && tag && known?.tag === tag) return location.replace(`${known.origin}/login/forward?next=${encodeURIComponent(next)}`);
  if (otherwise) location.replace(otherwise);
}
