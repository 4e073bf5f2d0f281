/** Objects are written once, for the journal and for all who watch them. */
const written = new WeakMap<object, string>();

/** An object of the store as JSON. It must not be changed in place. */
export function serialized(object: object): string {
  const known = written.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  written.set(object, text);
  return text;
}
