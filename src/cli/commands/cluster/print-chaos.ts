/** What the cluster tells of a rule; its own module is loaded only where it is needed. */
interface Entry {
  readonly id: string;
  readonly rule: Readonly<Record<string, unknown>>;
  readonly seen: number;
  readonly struck: number;
  readonly until?: string;
}

/** A rule in a line: `chaos-1  500 verbs=get,list times=3: struck 1 of 4 that fit`. */
export function printRule(told: unknown): string {
  if (!isEntry(told)) return "";
  const { id, rule, seen, struck, until } = told;
  const { fault, ...fields } = rule;
  const words = Object.entries(fields).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : value}`,
  );
  const count = `struck ${struck} of ${seen} that fit`;
  return `${id}  ${[String(fault), ...words].join(" ")}: ${count}${until === undefined ? "" : `, until ${until}`}\n`;
}

/** All rules, and what else is not as usual. */
export function printState(told: unknown): string {
  if (typeof told !== "object" || told === null) return "";
  const rules = "rules" in told && Array.isArray(told.rules) ? told.rules.map(printRule) : [];
  const isAway = "node" in told && (told.node === "lost" || told.node === "gone");
  const offset = "clockOffsetMs" in told ? Number(told.clockOffsetMs) : 0;
  const lines = [
    ...rules,
    ...(isAway ? [`The node is ${String(told.node)}.\n`] : []),
    ...(offset === 0
      ? []
      : [`The clock is ${Math.abs(offset) / 1000} s ${offset > 0 ? "ahead" : "behind"}.\n`]),
  ];
  return lines.length === 0 ? "Nothing is made to go wrong.\n" : lines.join("");
}

function isEntry(told: unknown): told is Entry {
  return typeof told === "object" && told !== null && "id" in told && "rule" in told;
}
