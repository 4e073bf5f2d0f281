import type { Draft } from "../object.ts";

/** One column of a table of objects, as `kubectl get` prints it. */
export interface Column<T extends Draft = Draft> {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  /** `name` for the object's name. */
  readonly format: "name" | "";
  /** 1 for what only `-o wide` shows. */
  readonly priority: 0 | 1;
  /** `now`: ms since 1970. */
  cell(object: T, now: number): string | number | boolean | null;
}

type Cell<T extends Draft> = Column<T>["cell"];

/** A column of text. */
export function column<T extends Draft>(name: string, cell: Cell<T>): Column<T> {
  return { name, type: "string", format: "", priority: 0, cell };
}

/** A column that only `-o wide` shows. */
export function wide<T extends Draft>(name: string, cell: Cell<T>): Column<T> {
  return { ...column(name, cell), priority: 1 };
}

/** A column of numbers. */
export function integer<T extends Draft>(name: string, cell: Cell<T>): Column<T> {
  return { ...column(name, cell), type: "integer" };
}

/** The name of the object. */
export const nameColumn: Column = {
  ...column("Name", ({ metadata }) => metadata.name ?? ""),
  format: "name",
};

/** How long ago the object was made. */
export const ageColumn: Column = column("Age", ({ metadata }, now) => age(metadata.creationTimestamp, now));

/** Time since a moment, in two units at most, as kubectl prints it, e.g. `5m3s`, `2d`. */
export function age(time: string | null | undefined, now: number): string {
  if (time === undefined || time === null || time === "") return "<unknown>";
  return duration(now - Date.parse(time));
}

/** A duration as kubectl prints it: exact when it is short, coarse when it is long. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return two(Math.floor(hours / 24), "d", hours % 24, "h");
  const days = Math.floor(hours / 24);
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;
}

/** Labels, or a selector, as one text. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return entries.length === 0 ? "<none>" : entries.sort().join(",");
}

/** `<none>` for what is not there. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? "<none>" : text;
}
