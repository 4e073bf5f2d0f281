import type { Event } from "../kube/types.ts";
import type { ContainerView } from "./container-view.ts";
import type { Evidence } from "./diagnosis.ts";
import type { LogLine } from "./observation.ts";

/** Maximum length of a quote, in characters. */
const quoteLimit = 400;

/** Quotes the first line of a text verbatim. */
export function quote(source: Evidence["in"], text: string): Evidence {
  const line = /\S.*/.exec(text)?.[0] ?? "";
  return { in: source, text: line.slice(0, quoteLimit).trimEnd() };
}

/** Quotes the status of a driver's or an executor's pod. */
export function podEvidence(role: "driver" | "executor", text: string): Evidence {
  return quote(role === "driver" ? "pod" : "executor", text);
}

/** Quotes a field of a status, as the API prints it in JSON. */
export function fieldEvidence(role: "driver" | "executor", name: string, value: string | number): Evidence {
  return { in: role === "driver" ? "pod" : "executor", text: `"${name}": ${JSON.stringify(value)}` };
}

/** Quotes an event. */
export function eventEvidence({ message = "", reason = "" }: Event): Evidence {
  return quote("event", message === "" ? reason : message);
}

/** Quotes a log line. */
export function logEvidence({ logSource }: ContainerView, { text }: LogLine): Evidence {
  return quote(logSource, text);
}

/** Maximum number of quoted last lines. */
const maxLastLines = 3;

/** Quotes the last lines of a log. */
export function lastLines(container: ContainerView): readonly Evidence[] {
  const lines = container.log.filter(({ text }) => text.trim() !== "");
  return lines.slice(-maxLastLines).map((line) => logEvidence(container, line));
}

/** Finds the first line that matches a pattern, and the match. */
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
