/** A file of Hadoop's configuration: what it says itself, and which files it includes, in their order. */
export type HadoopXmlItem =
  | { readonly kind: "property"; readonly name: string; readonly value: string; readonly isFinal: boolean }
  | { readonly kind: "include"; readonly href: string; readonly isOptional: boolean };

export type ParsedHadoopXml =
  | { readonly ok: true; readonly items: readonly HadoopXmlItem[] }
  | { readonly ok: false; readonly reason: string };

/** One token of XML: a comment or the like, a literal text, a tag, text, or what is none of them. */
const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<!DOCTYPE(?:[^<>[]|\[[\s\S]*?\])*>|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)|</g;

/**
 * Reads `<configuration>` with its properties, each in elements or attributes, and `xi:include`.
 *
 * Later properties of a name win; that is left to the reader, for `final` may forbid it. Source: Hadoop Configuration.loadResource.
 */
export function parseHadoopXml(text: string): ParsedHadoopXml {
  const items: HadoopXmlItem[] = [];
  const open: string[] = [];
  let isSeen = false;
  let property: Record<string, string> | undefined;
  let include: { href: string; isOptional: boolean } | undefined;
  const begin = (name: string, attributes: Readonly<Record<string, string>>) => {
    open.push(name);
    if (open.length === 1) isSeen = name === "configuration";
    if (name === "property") property = { ...attributes };
    if (name === "include" || name === "xi:include") {
      include = { href: attributes["href"] ?? "", isOptional: false };
    }
    if (name.endsWith("fallback") && include !== undefined) include.isOptional = true;
    if (property !== undefined && isMember(name)) property[name] = "";
  };
  const end = () => {
    const name = open.pop();
    if (name === "property" && property !== undefined) {
      const { name: key, value, final } = property;
      if (key !== undefined && value !== undefined)
        items.push({ kind: "property", name: key.trim(), value, isFinal: final?.trim() === "true" });
      property = undefined;
    }
    if ((name === "include" || name === "xi:include") && include !== undefined) {
      items.push({ kind: "include", ...include });
      include = undefined;
    }
  };
  for (const match of text.replace(/^\ufeff/, "").matchAll(token)) {
    const [whole, literal, slash, name, attributes = "", empty, words] = match;
    const inside = open.at(-1);
    if (whole === "<") return { ok: false, reason: `${placeOf(text, match.index)}: this is no XML` };
    if (name !== undefined && slash === "/") {
      if (inside !== name)
        return { ok: false, reason: `${placeOf(text, match.index)}: </${name}> ends nothing` };
      end();
    } else if (name !== undefined) {
      begin(name, attributesIn(attributes));
      if (empty === "/") end();
    } else if (property !== undefined && inside !== undefined && isMember(inside)) {
      property[inside] += literal ?? withoutEntities(words ?? "");
    }
  }
  if (open.length > 0) return { ok: false, reason: `<${open.at(-1)}> is not closed` };
  return isSeen ? { ok: true, items } : { ok: false, reason: "it has no <configuration>" };
}

function isMember(name: string): boolean {
  return name === "name" || name === "value" || name === "final";
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...found].map(([, name, double, single]) => [name, withoutEntities(double ?? single ?? "")]),
  );
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function placeOf(text: string, index: number): string {
  return `line ${text.slice(0, index).split("\n").length}`;
}

/** Writes a configuration as Hadoop reads it. */
export function printHadoopXml(entries: Iterable<readonly [string, string]>): string {
  const rows = [...entries].map(
    ([name, value]) => `<property><name>${escaped(name)}</name><value>${escaped(value)}</value></property>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n${rows.join("")}</configuration>\n`;
}

function escaped(text: string): string {
  return text.replace(
    /[&<>\t\r\n]/g,
    (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter] ?? `&#${letter.charCodeAt(0)};`,
  );
}
