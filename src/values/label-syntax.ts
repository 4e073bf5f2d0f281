import { digits, isMadeOf, letters } from "./characters.ts";
import { isDnsSubdomain } from "./dns-name.ts";

const ends = `${letters}${digits}`;
const inner = `${ends}-_.`;
const maxLength = 63;

/**
 * Whether a text is a valid key of a label: a name, optionally after a DNS subdomain and a slash, e.g. `example.com/team`.
 *
 * Source: Kubernetes, "Labels and Selectors".
 */
export function isLabelKey(text: string): boolean {
  const [first = "", second, ...more] = text.split("/");
  if (more.length > 0) return false;
  return second === undefined ? isLabelName(first) : isDnsSubdomain(first) && isLabelName(second);
}

/** Whether a text is a valid key of an annotation: that of a label, in any case. Source: Kubernetes, "Annotations". */
export function isAnnotationKey(text: string): boolean {
  return isLabelKey(text.toLowerCase());
}

/** Whether a text is a valid value of a label, which may be empty. Source: Kubernetes, "Labels and Selectors". */
export function isLabelValue(text: string): boolean {
  return text === "" || isLabelName(text);
}

function isLabelName(text: string): boolean {
  const [first = "", last = ""] = [text.at(0), text.at(-1)];
  return (
    text !== "" && text.length <= maxLength && ends.includes(first) && ends.includes(last) && isMadeOf(text, inner)
  );
}
