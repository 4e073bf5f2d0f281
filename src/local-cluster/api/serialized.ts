/** So many objects are remembered as text: those that watchers are just being told of, and no more than garbage collection likes. */
const rememberedTexts = 32;

const texts = new Map<object, string>();
const lines = new WeakMap<object, Map<string, Uint8Array>>();

/** An object of the store as JSON: written once for the journal and for all who are told of it. It must not be changed in place. */
export function serialized(object: object): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  for (const oldest of texts.keys()) {
    if (texts.size <= rememberedTexts) break;
    texts.delete(oldest);
    lines.delete(oldest);
  }
  return text;
}

/** An event of a watch: the same bytes for all who watch. */
export function eventLine(type: string, object: object): Uint8Array {
  const known = lines.get(object)?.get(type);
  if (known !== undefined) return known;
  const line = Buffer.from(`{"type":"${type}","object":${serialized(object)}}\n`);
  const ofObject = lines.get(object) ?? new Map<string, Uint8Array>();
  lines.set(object, ofObject.set(type, line));
  return line;
}
