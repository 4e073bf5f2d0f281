import { parseXml, type XmlElement } from "../values/xml.ts";

/** Parses a response of S3 or STS. Returns `undefined` if it is not XML, such as an error page of a proxy. */
export function parseS3Xml(text: string): XmlElement | undefined {
  try {
    return parseXml(text);
  } catch {
    return undefined;
  }
}

/** Returns all elements with a name below an element, in document order. Nested elements of the same name are not returned. */
export function elementsNamed(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return (element?.children ?? []).flatMap((child) => (child.name === name ? [child] : elementsNamed(child, name)));
}

/** Returns the text of the first element with a name below an element. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  return elementsNamed(element, name)[0]?.text;
}

/** Escapes text for use between two tags. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;" })[sign] ?? "&gt;");
}
