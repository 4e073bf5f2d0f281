/**
 * Number of objects whose JSON is remembered: those that watchers are being notified of now. More would burden the garbage
 * collector.
 */
const maxRememberedTexts = 32;

const texts = new Map<object, string>();
const lines = new WeakMap<object, Map<string, Uint8Array>>();

/** Returns a stored object as JSON, printed once for the journal and all watchers. The object must not be changed in place. */
export function serialized(object: object): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  for (const oldest of texts.keys()) {
    if (texts.size <= maxRememberedTexts) break;
    texts.delete(oldest);
    lines.delete(oldest);
  }
  return text;
}

/** Returns a watch event as a line of JSON; all watchers share the same bytes. */
export function eventLine(type: string, object: object): Uint8Array {
  const known = lines.get(object)?.get(type);
  if (known !== undefined) return known;
  const line = Buffer.from(`{"type":"${type}","object":${serialized(object)}}\n`);
  const linesByType = lines.get(object) ?? new Map<string, Uint8Array>();
  lines.set(object, linesByType.set(type, line));
  return line;
}
