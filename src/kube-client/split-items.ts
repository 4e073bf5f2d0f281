const [quote, backslash] = [0x22, 0x5c];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const itemsKey = Buffer.from('"items":[');
const managedFieldsKey = Buffer.from('"managedFields":[');

/** The JSON of a list of objects, in parts. */
export interface SplitItems {
  /** The list with the number 0 for each item. */
  readonly rest: string;
  /** Each item, with an empty list for `managedFields`: half of a pod, and no caller of a list reads them. */
  readonly items: () => Iterable<string>;
}

/**
 * Splits the JSON of a list, so that each item can be parsed and dropped before the next: parsed at once, the objects of a page
 * live long enough for V8 to move them. Returns `undefined` if the text is not like a list that the API writes.
 */
export function splitItems(json: Buffer): SplitItems | undefined {
  const key = json.indexOf(itemsKey);
  // In a string, this text would contain backslashes; in a list, the key of an item can come first.
  if (key === -1 || json.subarray(0, key).includes(openList)) return undefined;
  const ranges: { readonly from: number; readonly to: number }[] = [];
  let rest = "";
  let at = key + itemsKey.length;
  let restFrom = 0;
  for (; at < json.length && json[at] !== closeList; at += 1) {
    if (json[at] !== openObject) continue;
    const to = endOf(json, at + 1);
    if (to === undefined) return undefined;
    ranges.push({ from: at, to: to + 1 });
    rest += `${json.toString("utf8", restFrom, at)}0`;
    restFrom = to + 1;
    at = to;
  }
  rest += json.toString("utf8", restFrom);
  return {
    rest,
    *items() {
      for (const { from, to } of ranges) yield withoutManagedFields(json.subarray(from, to));
    },
  };
}

function withoutManagedFields(json: Buffer): string {
  const key = json.indexOf(managedFieldsKey);
  const start = key + managedFieldsKey.length;
  const end = key === -1 ? undefined : endOf(json, start);
  if (end === undefined) return json.toString("utf8");
  return json.toString("utf8", 0, start) + json.toString("utf8", end);
}

/** Returns the index of the bracket that ends an object or a list, whose content starts at `start`. */
function endOf(json: Buffer, start: number): number | undefined {
  let depth = 1;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at + 1);
    else if (byte === openObject || byte === openList) depth += 1;
    else if (byte === closeObject || byte === closeList) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Returns the index of the quote that ends a string. */
function endOfString(json: Buffer, start: number): number {
  let at = start;
  for (; at < json.length && json[at] !== quote; at += 1) if (json[at] === backslash) at += 1;
  return at;
}
