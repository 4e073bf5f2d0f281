/** Item of a Hadoop configuration file: a property, or an included file. */
export type HadoopXmlItem =
  | { readonly kind: "property"; readonly name: string; readonly value: string; readonly isFinal: boolean }
  | { readonly kind: "include"; readonly href: string; readonly isOptional: boolean };

/** Items in their order, or the reason why the file is invalid. */
type ParsedHadoopXml =
  | { readonly ok: true; readonly items: readonly HadoopXmlItem[] }
  | { readonly ok: false; readonly reason: string };

/** Token of XML: comment, processing instruction, literal text, declaration, tag, text, or a stray `<`. */
const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<!DOCTYPE(?:[^<>[]|\[[\s\S]*?\])*>|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)|</g;

/**
 * Parses `<configuration>` with its properties, as elements or attributes, and `xi:include`.
 *
 * The caller resolves properties of the same name, because `final` affects the precedence. Source: Hadoop Configuration.loadResource.
 */
export function parseHadoopXml(text: string): ParsedHadoopXml {
  const items: HadoopXmlItem[] = [];
  const open: string[] = [];
  let isSeen = false;
  let property: Record<string, string> | undefined;
  let include: { href: string; isOptional: boolean } | undefined;
  const start = (name: string, attributes: Readonly<Record<string, string>>) => {
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
    const [matched, literal, slash, name, attributes = "", empty, plainText] = match;
    const inside = open.at(-1);
    if (matched === "<") return { ok: false, reason: `${lineOf(text, match.index)}: this is not valid XML` };
    if (name !== undefined && slash === "/") {
      if (inside !== name) return { ok: false, reason: `${lineOf(text, match.index)}: </${name}> has no start tag` };
      end();
    } else if (name !== undefined) {
      start(name, attributesIn(attributes));
      if (empty === "/") end();
    } else if (property !== undefined && inside !== undefined && isMember(inside)) {
      property[inside] += literal ?? withoutEntities(plainText ?? "");
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
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#(\d{1,7})|(\w+));/g, (entity, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

function lineOf(text: string, index: number): string {
  return `line ${text.slice(0, index).split("\n").length}`;
}

/** Prints a configuration as XML. */
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
