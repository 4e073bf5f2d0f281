/** XML of S3 and STS is flat with known names, so an element's text is found by its name. */

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Returns the texts of all elements with a name, in order. */
export function xmlTexts(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}\\s*>`, "g");
  return [...xml.matchAll(pattern)].map(([, text = ""]) => text);
}

/** Returns the text of the first element with a name. The element must not contain other elements. */
export function xmlText(xml: string, name: string): string | undefined {
  const [first] = xmlTexts(xml, name);
  return first === undefined ? undefined : unescapeXml(first);
}

/** Escapes text for use between two tags. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;" })[sign] ?? "&gt;");
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g, (match, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? match;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : match;
  });
}
