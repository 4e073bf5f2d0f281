/** A rule as the cluster's API returns it. Declared again here, so that printing does not load the cluster's module. */
interface Entry {
  readonly id: string;
  readonly rule: Readonly<Record<string, unknown>>;
  readonly seen: number;
  readonly injected: number;
  readonly until?: string;
}

/** Prints a rule as a line: `chaos-1  500 verbs=get,list times=3: injected into 1 of 4 matching requests`. */
export function printRule(value: unknown): string {
  if (!isEntry(value)) return "";
  const { id, rule, seen, injected, until } = value;
  const { fault, ...fields } = rule;
  const options = Object.entries(fields).map(
    ([name, field]) => `${name}=${Array.isArray(field) ? field.join(",") : field}`,
  );
  const count = `injected into ${injected} of ${seen} matching requests`;
  return `${id}  ${[String(fault), ...options].join(" ")}: ${count}${until === undefined ? "" : `, until ${until}`}\n`;
}

/** Prints all rules, and the states of node and clock that differ from the normal ones. */
export function printState(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const rules = "rules" in value && Array.isArray(value.rules) ? value.rules.map(printRule) : [];
  const isAway = "node" in value && (value.node === "lost" || value.node === "gone");
  const offset = "clockOffsetMs" in value ? Number(value.clockOffsetMs) : 0;
  const lines = [
    ...rules,
    ...(isAway ? [`The node is ${String(value.node)}.\n`] : []),
    ...(offset === 0 ? [] : [`The clock is ${Math.abs(offset) / 1000} s ${offset > 0 ? "ahead" : "behind"}.\n`]),
  ];
  return lines.length === 0 ? "No faults are active.\n" : lines.join("");
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && "id" in value && "rule" in value;
}
