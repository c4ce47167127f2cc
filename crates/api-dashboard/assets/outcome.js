// Sentences about the result of an operation, and the operations that take it back.

const many = (count, one, more) => (count === 1 ? `one ${one}` : `${count} ${more}`);
const numbers = (ids) => ids.map((id) => `#${id}`).join(", ");

/** Text with the names in braces replaced by fields of the response, or by the number of selected items. */
export const filled = (text, values, encode = String) => text.replace(/\{(\w+)\}/g, (_, name) => encode(values[name] ?? ""));

/** What happened when a memory was written: sentences, and links to what it concerns. */
export function writeOutcome({ id, happened, superseded = [], replaced = [], conflicts = [], similar = [] }) {
  const parts = [];
  const links = [];
  if (happened === "duplicate") parts.push(`You knew this already: it is memory #${id}.`);
  else if (happened === "proposed") parts.push("It waits for your decision in Review.");
  else parts.push("Remembered.");
  const gone = [...new Set([...superseded, ...replaced])];
  if (gone.length) parts.push(`It replaces ${numbers(gone)}.`);
  if (conflicts.length) {
    parts.push(`It contradicts ${numbers(conflicts)}.`);
    links.push(["Decide in Review", "/review"]);
  }
  if (similar.length && happened !== "duplicate") parts.push(`Similar: ${numbers(similar.slice(0, 3))}.`);
  return { text: parts.join(" "), links };
}

const staying = ({ newer_value_stays: stays = [] }) => (stays.length ? ` What was said later stays:` : "");

/** The confirmation of a form, and what is shown with it. */
export function confirmation(form, answer, count) {
  const notes = (answer.notes ?? []).map((note) => note.charAt(0).toUpperCase() + note.slice(1).replace(/\.?$/, "."));
  if (form.dataset.outcome === "written") {
    const { text, links } = writeOutcome(answer);
    return { text: [text, ...notes].join(" "), links };
  }
  if (form.dataset.outcome === "corrected") {
    const { text, links } = writeOutcome({ ...answer, superseded: [], replaced: [] });
    return { text: [answer.happened === "created" ? text.replace("Remembered.", form.dataset.say) : text, ...notes].join(" "), links };
  }
  if (form.dataset.outcome === "forgotten") {
    const removed = (answer.places ?? []).reduce((sum, place) => sum + place.count, 0);
    return { text: `Forgotten everywhere: ${many(answer.memories.length, "memory", "memories")}, ${many(removed, "trace", "traces")} removed.${staying(answer)}`, links: (answer.newer_value_stays ?? []).slice(0, 3).map(({ id }) => [`#${id}`, `/memories/${id}`]) };
  }
  const counted = { ...answer, count, memories_count: many(count, "memory", "memories") };
  return { text: [filled(form.dataset.say ?? "", counted), ...notes].join(" ").trim(), links: [] };
}

/** The operations that take the action of a form back; none where that is not possible. */
export function undoOf(form, body, answer) {
  const { undo, undoBody, undoTags } = form.dataset;
  if (undoTags) return untag(body);
  // A duplicate wrote nothing, and what was replaced would stay replaced.
  const lasting = answer.happened && (answer.happened !== "created" || answer.superseded?.length || answer.replaced?.length);
  if (!undo || lasting || answer.proposal) return [];
  const values = { ...answer, data: JSON.stringify(answer.data ?? {}) };
  return [{ call: filled(undo, answer, encodeURIComponent), body: undoBody ? JSON.parse(filled(undoBody, values)) : body }];
}

/** Removes each new tag from the memories that did not have it before. */
function untag({ memories, add }) {
  const had = (id, tag) => JSON.parse(document.querySelector(`.pick[value="${id}"]`)?.dataset.tags ?? "[]").includes(tag);
  const lists = add.map((tag) => [tag, memories.filter((id) => !had(id, tag))]).filter(([, ids]) => ids.length);
  return lists.map(([tag, ids]) => ({ call: "POST /v1/memories/tag", body: { memories: ids, remove: [tag] } }));
}
