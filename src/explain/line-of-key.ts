import { parseProperties } from "../values/properties.ts";

/** Returns the number of the last line, counted from 1, that sets a key in a properties file. */
export function lineOfKey(text: string, key: string): number | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const found = lines.flatMap((line, index) => {
    const isContinued = index > 0 && /(?:^|[^\\])(?:\\\\)*\\$/.test(lines[index - 1] ?? "");
    if (isContinued) return [];
    const parsed = parseProperties(line.replace(/\\$/, ""));
    return parsed.ok && parsed.entries.has(key) ? [index + 1] : [];
  });
  return found.at(-1);
}
