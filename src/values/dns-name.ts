import { digits, isMadeOf, lowerLetters } from "./characters.ts";

const inner = `${lowerLetters}${digits}-`;
const longest = 253;
const longestLabel = 63;

/** True for what most objects may be called: `pi-1.driver`, but not `a..b`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= longest && text.split(".").every(hasLabelForm);
}

/** True for what a namespace may be called: `team-1`, but not `team.1`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsLabel(text: string): boolean {
  return text.length <= longestLabel && hasLabelForm(text);
}

function hasLabelForm(text: string): boolean {
  return text !== "" && !text.startsWith("-") && !text.endsWith("-") && isMadeOf(text, inner);
}
