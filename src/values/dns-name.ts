import { digits, isMadeOf, lowerLetters } from "./characters.ts";

const inner = `${lowerLetters}${digits}-`;
const maxLength = 253;
const maxLabelLength = 63;

/** Whether a text is a valid name of most objects: `pi-1.driver`, but not `a..b`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= maxLength && text.split(".").every(hasLabelForm);
}

/** Whether a text is a valid name of a namespace: `team-1`, but not `team.1`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsLabel(text: string): boolean {
  return text.length <= maxLabelLength && hasLabelForm(text);
}

function hasLabelForm(text: string): boolean {
  return text !== "" && !text.startsWith("-") && !text.endsWith("-") && isMadeOf(text, inner);
}
