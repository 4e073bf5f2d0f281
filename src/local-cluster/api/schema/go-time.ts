/** An invalid time. Its message is that of Go's parser. */
export class TimeError extends Error {}

interface Part {
  /** Text in Go's layout. */
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
/** Fraction that is accepted after the seconds although the layout has none. */
const anyFraction: Part = { layout: "", pattern: /^(\.\d+)?/ };

/**
 * Parses an RFC 3339 time as Kubernetes does.
 *
 * @param options `isMicro`: requires exactly six digits of a second
 * @returns the time in UTC with whole seconds, or with microseconds
 * @throws TimeError
 */
export function parseTime(text: string, { isMicro }: { isMicro: boolean }): string {
  const layout = `2006-01-02T15:04:05${isMicro ? micros.layout : ""}Z07:00`;
  const timeError = (fault: string) => new TimeError(`parsing time ${JSON.stringify(text)}${fault}`);
  let rest = text;
  for (const part of [...start, isMicro ? micros : anyFraction, zone]) {
    const [found] = part.pattern.exec(rest) ?? [];
    if (found === undefined) {
      throw timeError(
        ` as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part.layout)}`,
      );
    }
    rest = rest.slice(found.length);
  }
  if (rest !== "") throw timeError(`: extra text: ${JSON.stringify(rest)}`);
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw timeError(`: ${outOfRange(text)} out of range`);
  const seconds = new Date(ms).toISOString().slice(0, 19);
  return isMicro ? `${seconds}${/\.\d{6}/.exec(text)?.[0] ?? ""}Z` : `${seconds}Z`;
}

function outOfRange(text: string): string {
  const [month, , hour, minute] = [5, 8, 11, 14].map((at) => Number(text.slice(at, at + 2)));
  if (month === undefined || month < 1 || month > 12) return "month";
  if ((hour ?? 0) > 23) return "hour";
  return (minute ?? 0) > 59 ? "minute" : "day";
}
