import { SaxesParser } from "saxes";

/** Far more than a valid POM, list of objects or configuration has; an element costs about 1 KB of memory. */
const maxElements = 200_000;
const maxDepth = 1000;

/** An element of an XML document. Namespaces are left out of names: `m:pom` is `pom`. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly in the element, trimmed. */
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Parses an XML document. Never fetches external entities. Rejects entities other than XML's own and those that the document
 * defines with a short text, as old Ivy descriptors do.
 *
 * @throws Error if it is not well-formed, has more than 200,000 elements, or nests more than 1,000 of them
 */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser();
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  Object.assign(parser.ENTITIES, latinEntities);
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    elements += 1;
    if (elements > maxElements) throw new Error(`the document has more than ${maxElements} elements`);
    if (open.length >= maxDepth) throw new Error(`the document nests more than ${maxDepth} elements`);
    open.push({ name: localName(name), attributes: { ...attributes }, children: [], text: "" });
  });
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (element === undefined) return;
    const closed = { ...element, text: element.text.trim() };
    const parent = open.at(-1);
    if (parent === undefined) root = closed;
    else parent.children.push(closed);
  });
  parser.write(text.replace(/^\uFEFF/, "").trimStart()).close();
  if (root === undefined) throw new Error("the document is empty");
  return root;
}

/** Decodes an XML document in the encoding of its first bytes. Invalid characters become `\uFFFD`. */
export function decodeXml(content: Uint8Array): string {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(content);
  const start = Buffer.from(content.subarray(0, 100)).toString("latin1");
  const [, encoding = "utf-8"] = /^\s*<\?xml[^>]*\sencoding=["']([\w.-]+)["']/.exec(start) ?? [];
  const isLatin = /^(iso-8859-1|latin1|us-ascii|windows-1252)$/i.test(encoding);
  return new TextDecoder(isLatin ? "windows-1252" : "utf-8").decode(content);
}

/** Returns the first child with a name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** Returns the text of the first child with a name. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text;
}

/** Returns the grandchildren with a name, e.g. `dependency` below `dependencies`. */
export function childrenOf(element: XmlElement | undefined, list: string, name: string): readonly XmlElement[] {
  return childOf(element, list)?.children.filter((child) => child.name === name) ?? [];
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** HTML entities for letters, which old POMs use in people's names. */
const latinEntities: Readonly<Record<string, string>> = Object.fromEntries(
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
    .split(" ")
    .map((name, index) => [name, String.fromCharCode(0xa0 + index)]),
);
