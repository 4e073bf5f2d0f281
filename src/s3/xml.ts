/** What S3 and STS write is flat, and of known names: each element's text is found by its name. */

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Texts of all elements of a name, in order. */
export function xmlTexts(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}\\s*>`, "g");
  return [...xml.matchAll(pattern)].map(([, text = ""]) => text);
}

/** The text of the first element of a name that has no elements in it. */
export function xmlText(xml: string, name: string): string | undefined {
  const [first] = xmlTexts(xml, name);
  return first === undefined ? undefined : unescapeXml(first);
}

/** Text that may stand between two tags. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;" })[sign] ?? "&gt;");
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
