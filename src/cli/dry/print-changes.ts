import type { FieldChange } from "../../explain/difference.ts";
import type { LeafValue } from "../../explain/leaves.ts";
import type { Redaction } from "../../explain/redact-field.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { printLeaf } from "./print-leaf.ts";

/** Prints differences for people: `+` added, `-` removed, `~` changed. */
export function printChanges(changes: readonly FieldChange[], redaction: Redaction): string {
  const objects = [...new Set(changes.map(({ objectId }) => objectId))];
  const paragraphs = objects.map((objectId) => {
    const own = changes.filter((change) => change.objectId === objectId);
    const [first] = own;
    if (first?.isEntireObject === true)
      return `${visibleLine(objectId)}\n  ${first.old === undefined ? "+" : "-"} the whole object\n`;
    return `${visibleLine(objectId)}\n${own.map((change) => printChange(change, redaction)).join("")}`;
  });
  return paragraphs.join("\n");
}

function printChange(change: FieldChange, redaction: Redaction): string {
  const { old, new: changed } = change;
  const path = visibleLine(change.path);
  const show = (value: LeafValue) => printLeaf(redaction.ofField(change, value));
  if (old === undefined) return changed === undefined ? "" : `  + ${path}: ${show(changed)}\n`;
  return changed === undefined ? `  - ${path}: ${show(old)}\n` : `  ~ ${path}: ${show(old)} → ${show(changed)}\n`;
}

/** Prints differences as JSON. */
export function toPlainChanges(changes: readonly FieldChange[], redaction: Redaction): string {
  const plain = changes.map((change) => {
    const { objectId, path, old, new: changed } = change;
    return {
      ...{ object: objectId, path },
      ...(old === undefined ? {} : { old: redaction.ofField(change, old) }),
      ...(changed === undefined ? {} : { new: redaction.ofField(change, changed) }),
    };
  });
  return `${JSON.stringify({ same: plain.length === 0, changes: plain }, undefined, 2)}\n`;
}
