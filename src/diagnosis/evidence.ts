import type { Event } from "../kube/types.ts";
import type { ContainerView } from "./container-view.ts";
import type { Evidence } from "./diagnosis.ts";
import type { LogLine } from "./observation.ts";

/** Long texts are quoted to this length (characters), which is more than one screen's line. */
const quoteLimit = 400;

/** Evidence: the first line of a text, word by word. */
export function quote(source: Evidence["in"], text: string): Evidence {
  const line = /\S.*/.exec(text)?.[0] ?? "";
  return { in: source, text: line.slice(0, quoteLimit).trimEnd() };
}

/** The status of a pod as evidence: of an executor's it is called so. */
export function podEvidence(role: "driver" | "executor", text: string): Evidence {
  return quote(role === "driver" ? "pod" : "executor", text);
}

/** A number in a status, as the API writes it in JSON. */
export function fieldEvidence(role: "driver" | "executor", name: string, value: string | number): Evidence {
  return { in: role === "driver" ? "pod" : "executor", text: `"${name}": ${JSON.stringify(value)}` };
}

/** Quotes an event. */
export function eventEvidence({ message = "", reason = "" }: Event): Evidence {
  return quote("event", message === "" ? reason : message);
}

/** A line that a container wrote. */
export function logEvidence({ logSource }: ContainerView, { text }: LogLine): Evidence {
  return quote(logSource, text);
}

/** The first line that fits a pattern, and the fit. */
export function findLine(
  lines: readonly LogLine[],
  pattern: RegExp,
): { readonly line: LogLine; readonly match: RegExpExecArray } | undefined {
  for (const line of lines) {
    const match = pattern.exec(line.text);
    if (match !== null) return { line, match };
  }
  return undefined;
}
