import type { Draft } from "../object.ts";

/** A column of the tables that `kubectl get` prints. */
export interface Column<T extends Draft = Draft> {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean` or `date`. */
  readonly type: string;
  /** `name` for the object's name. */
  readonly format: string;
  /** @default "" */
  readonly description?: string;
  /** Above 0 for columns that only `-o wide` shows. */
  readonly priority: number;
  /** `now`: ms since 1970. */
  cell(object: T, now: number): string | number | boolean | null;
}

type Cell<T extends Draft> = Column<T>["cell"];

/** Creates a text column. */
export function column<T extends Draft>(name: string, cell: Cell<T>): Column<T> {
  return { name, type: "string", format: "", priority: 0, cell };
}

/** Creates a column that only `-o wide` shows. */
export function wide<T extends Draft>(name: string, cell: Cell<T>): Column<T> {
  return { ...column(name, cell), priority: 1 };
}

/** Creates a number column. */
export function integer<T extends Draft>(name: string, cell: Cell<T>): Column<T> {
  return { ...column(name, cell), type: "integer" };
}

/** Column of object names. */
export const nameColumn: Column = {
  ...column("Name", ({ metadata }) => metadata.name ?? ""),
  format: "name",
};

/** Column of object ages. */
export const ageColumn: Column = column("Age", ({ metadata }, now) => age(metadata.creationTimestamp, now));

/** Prints the time since a moment in at most two units, as kubectl does, e.g. `5m3s`, `2d`. */
export function age(time: string | null | undefined, now: number): string {
  if (time === undefined || time === null || time === "") return "<unknown>";
  return duration(now - Date.parse(time));
}

/** Prints a duration as kubectl does: long durations are rounded. */
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

/** Prints labels or a selector. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return entries.length === 0 ? "<none>" : entries.sort().join(",");
}

/** Returns the text, or `<none>` if it is empty. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? "<none>" : text;
}
