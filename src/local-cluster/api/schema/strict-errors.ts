import { goQuoted } from "../../../values/go-quoted.ts";
import type { FieldType } from "./schema.ts";

/** Maximum number of unknown and duplicate fields that are reported. Source: Kubernetes 1.35, sigs.k8s.io/json. */
export const maxStrictErrors = 100;

/** Target of decoding a value: a type, an object of any fields, or nothing, because its field is unknown. */
type Target = FieldType | "anything" | "nothing";

interface Frame {
  readonly target: Target;
  /** Names of the fields so far; `undefined` for an array. */
  readonly names: Set<string> | undefined;
  /** Name of the current field. */
  name: string;
  /** Index of the current item. */
  index: number;
}

interface Scan {
  readonly text: string;
  at: number;
  readonly frames: Frame[];
  readonly found: Set<string>;
}

/**
 * Returns the first unknown and duplicate fields of a valid JSON text in its order, e.g. `unknown field "spec.containers[0].x"`.
 * JSON.parse keeps the last of two values silently. Fields within an unknown one are not reported.
 *
 * Loops instead of calling itself, because texts can be nested more deeply than JavaScript's stack.
 */
export function strictErrors(text: string, type: FieldType | "anything"): string[] {
  const scan: Scan = { text, at: 0, frames: [], found: new Set() };
  startValue(scan, type);
  for (let frame = scan.frames.at(-1); frame !== undefined; frame = scan.frames.at(-1)) {
    const character = nextCharacter(scan);
    if (character === "}" || character === "]") {
      scan.at += 1;
      scan.frames.pop();
    } else if (character === ",") {
      scan.at += 1;
      frame.index += 1;
    } else if (frame.names === undefined) startValue(scan, itemTarget(frame.target));
    else startValue(scan, readField(scan, frame, frame.names));
    if (scan.found.size >= maxStrictErrors) break;
  }
  return [...scan.found];
}

/** Returns the first errors about unknown fields of a document that was not sent as JSON; its fields are sorted. */
export function unknownFieldErrors(paths: readonly string[]): string[] {
  const sorted = paths.length < 2 ? paths : [...paths].sort();
  return sorted.slice(0, maxStrictErrors).map((path) => `unknown field ${goQuoted(path)}`);
}

const literalEnd = /[\s,\]}]|$/g;

/** Enters an array or object, or skips another value. */
function startValue(scan: Scan, target: Target): void {
  const character = nextCharacter(scan);
  if (character === "{" || character === "[") {
    const names = character === "{" ? new Set<string>() : undefined;
    scan.frames.push({ target, names, name: "", index: 0 });
    scan.at += 1;
  } else if (character === '"') skipString(scan);
  else {
    literalEnd.lastIndex = scan.at;
    scan.at = literalEnd.exec(scan.text)?.index ?? scan.text.length;
  }
}

/** Reads the name of a field and its colon; returns the target of its value. */
function readField(scan: Scan, frame: Frame, names: Set<string>): Target {
  nextCharacter(scan);
  const start = scan.at;
  skipString(scan);
  const name = unescaped(scan.text.slice(start, scan.at));
  nextCharacter(scan);
  scan.at += 1;
  frame.name = name;
  if (frame.target === "nothing") return "nothing";
  const target = fieldTarget(frame.target, name, scan.frames.length === 1);
  if (target === "nothing" && isStruct(frame.target)) report(scan, "unknown");
  else if (target !== "nothing" && names.has(name)) report(scan, "duplicate");
  names.add(name);
  return target;
}

function unescaped(literal: string): string {
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

function isStruct(target: Target): boolean {
  return typeof target === "object" && target.kind === "struct";
}

function fieldTarget(target: Target, name: string, isRoot: boolean): Target {
  if (typeof target === "string") return target;
  if (target.kind === "map") return target.value;
  if (target.kind !== "struct") return "nothing";
  if (isRoot && (name === "apiVersion" || name === "kind")) return { kind: "string" };
  return target.fields.get(name)?.type ?? "nothing";
}

function itemTarget(target: Target): Target {
  if (typeof target === "string") return target;
  return target.kind === "list" ? target.item : "nothing";
}

function report({ frames, found }: Scan, fault: "unknown" | "duplicate"): void {
  const steps = frames.map(({ names, name, index }) => (names === undefined ? `[${index}]` : `.${name}`));
  found.add(`${fault} field ${goQuoted(steps.join("").replace(/^\./, ""))}`);
}

function nextCharacter(scan: Scan): string | undefined {
  for (;;) {
    const character = scan.text[scan.at];
    if (character !== " " && character !== "\n" && character !== "\t" && character !== "\r") return character;
    scan.at += 1;
  }
}

function skipString(scan: Scan): void {
  const { text } = scan;
  for (scan.at += 1; text[scan.at] !== '"'; scan.at += 1) if (text[scan.at] === "\\") scan.at += 1;
  scan.at += 1;
}
