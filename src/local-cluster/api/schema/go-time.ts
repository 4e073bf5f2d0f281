/** A time that cannot be read; the message is the one that Go's parser would give. */
export class TimeError extends Error {}

interface Part {
  /** As Go's layout spells it. */
  readonly layout: string;
  readonly pattern: RegExp;
}

const literal = (text: string): Part => ({ layout: text, pattern: new RegExp(`^${text}`) });
const digits = (layout: string): Part => ({ layout, pattern: new RegExp(`^\\d{${layout.length}}`) });

const start = [
  digits("2006"),
  literal("-"),
  digits("01"),
  literal("-"),
  digits("02"),
  literal("T"),
  digits("15"),
  literal(":"),
  digits("04"),
  literal(":"),
  digits("05"),
];
const micros: Part = { layout: ".000000", pattern: /^\.\d{6}/ };
const zone: Part = { layout: "Z07:00", pattern: /^(Z|[+-]\d\d:\d\d)/ };
/** Not in the layout, but allowed after the seconds. */
const anyFraction: Part = { layout: "", pattern: /^(\.\d+)?/ };

/**
 * Reads an RFC 3339 time as Kubernetes does.
 *
 * @param options `isMicro`: with exactly six digits of a second
 * @returns the time in UTC: whole seconds, or with microseconds
 * @throws TimeError
 */
export function parseTime(text: string, { isMicro }: { isMicro: boolean }): string {
  const layout = `2006-01-02T15:04:05${isMicro ? micros.layout : ""}Z07:00`;
  const refuse = (fault: string) => new TimeError(`parsing time ${JSON.stringify(text)}${fault}`);
  let rest = text;
  for (const part of [...start, isMicro ? micros : anyFraction, zone]) {
    const [found] = part.pattern.exec(rest) ?? [];
    if (found === undefined) {
      throw refuse(
        ` as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part.layout)}`,
      );
    }
    rest = rest.slice(found.length);
  }
  if (rest !== "") throw refuse(`: extra text: ${JSON.stringify(rest)}`);
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw refuse(`: ${outOfRange(text)} out of range`);
  const seconds = new Date(ms).toISOString().slice(0, 19);
  return isMicro ? `${seconds}${/\.\d{6}/.exec(text)?.[0] ?? ""}Z` : `${seconds}Z`;
}

function outOfRange(text: string): string {
  const [month, , hour, minute] = [5, 8, 11, 14].map((at) => Number(text.slice(at, at + 2)));
  if (month === undefined || month < 1 || month > 12) return "month";
  if ((hour ?? 0) > 23) return "hour";
  return (minute ?? 0) > 59 ? "minute" : "day";
}
