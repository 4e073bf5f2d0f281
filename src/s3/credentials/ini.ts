/** Parses the sections of a file such as `~/.aws/config`. Skips nested properties. */
export function parseIni(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim();
    if (section !== undefined) {
      const name = section.replace(/^profile\s+/, "").replace(/^"(.*)"$/, "$1");
      current = sections.get(name) ?? new Map();
      sections.set(name, current);
      continue;
    }
    const [, name, value] = /^(\S[^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) current?.set(name.toLowerCase(), value.replace(/\s+[#;].*$/, ""));
  }
  return sections;
}
