/** An integer of a query, or why it is none. */
export type QueryInteger =
  | { readonly ok: true; readonly value: number | undefined }
  | { readonly ok: false; readonly message: string };

const [min, max] = [-(2 ** 31), 2 ** 31 - 1];

/** Parses an integer of 32 bits; `undefined` if the query has none. The message is that of Java, which Livy sends. */
export function queryInteger(query: URLSearchParams, name: string): QueryInteger {
  const text = query.get(name);
  if (text === null) return { ok: true, value: undefined };
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && value >= min && value <= max) return { ok: true, value };
  return { ok: false, message: `For input string: "${text}"` };
}
