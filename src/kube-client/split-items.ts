const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const itemsKey = Buffer.from('"items":[');
const initialBytes = 128 * 1024;

/** Top-level fields of which only some members that are objects or lists are read, e.g. `{ spec: ["containers"] }`. */
export type ReadMembers = Readonly<Record<string, readonly string[]>>;

interface SplitOptions {
  /**
   * Called with the JSON of each item. Members that are not read, and `managedFields`, are empty in it: they are two thirds of a pod,
   * and no caller of a list reads them.
   */
  readonly onItem: (json: string) => void;
  /** @default all members */
  readonly members?: ReadMembers | undefined;
}

/** Splits the JSON of a list while it arrives, so that neither the text nor the objects of a page are in memory at once. */
export interface ItemSplitter {
  readonly add: (chunk: Uint8Array) => void;
  /** Returns the text in front of the items, once they have begun. */
  readonly head: () => string | undefined;
  /** Returns the list with the number 0 for each item; the complete text if it is not like a list that the API writes. */
  readonly end: () => string;
}

interface Splitter extends SplitOptions {
  part: "head" | "items" | "rest";
  head: string | undefined;
  rest: string;
  /** Bytes that are not split yet, from `from` to `to`. */
  bytes: Buffer;
  from: number;
  to: number;
  item: ItemScan | undefined;
}

/** Scan of an item, which continues with the next chunk. */
interface ItemScan {
  at: number;
  depth: number;
  isInString: boolean;
  /** Members that are read of the current top-level field. */
  read: readonly string[] | undefined;
  /** Depth around the value that is being skipped; 0: none. */
  skippedDepth: number;
  skippedFrom: number;
  readonly skipped: { readonly from: number; readonly to: number }[];
}

/** Starts to split a list. */
export function splitItems(options: SplitOptions): ItemSplitter {
  const bytes = Buffer.allocUnsafeSlow(initialBytes);
  const splitter: Splitter = {
    ...options,
    ...{ part: "head", head: undefined, rest: "", bytes, from: 0, to: 0, item: undefined },
  };
  return {
    add(chunk) {
      append(splitter, chunk);
      if (splitter.part === "head") splitHead(splitter);
      while (splitter.part === "items" && splitItem(splitter));
    },
    head: () => splitter.head,
    end: () => splitter.rest + splitter.bytes.toString("utf8", splitter.from, splitter.to),
  };
}

function append(splitter: Splitter, chunk: Uint8Array): void {
  const { bytes, from, to, item } = splitter;
  if (to + chunk.length > bytes.length) {
    const size = to - from;
    const isLarge = 2 * (size + chunk.length) > bytes.length;
    const target = isLarge ? Buffer.allocUnsafeSlow(4 * (size + chunk.length)) : bytes;
    bytes.copy(target, 0, from, to);
    Object.assign(splitter, { bytes: target, from: 0, to: size });
    if (item !== undefined) moveScan(item, from);
  }
  splitter.bytes.set(chunk, splitter.to);
  splitter.to += chunk.length;
}

function moveScan(item: ItemScan, by: number): void {
  item.at -= by;
  item.skippedFrom -= by;
  const moved = item.skipped.map(({ from, to }) => ({ from: from - by, to: to - by }));
  item.skipped.splice(0, moved.length, ...moved);
}

function splitHead(splitter: Splitter): void {
  const bytes = splitter.bytes.subarray(splitter.from, splitter.to);
  const key = bytes.indexOf(itemsKey);
  const list = bytes.indexOf(openList);
  // In a string, this key would contain backslashes; in a list, it can be that of an item.
  if (list !== -1 && (key === -1 || list < key)) splitter.part = "rest";
  else if (key !== -1) {
    splitter.part = "items";
    splitter.head = take(splitter, splitter.from + key + itemsKey.length);
    splitter.rest = splitter.head;
  }
}

/** Splits off one item. @returns whether there can be another in the bytes */
function splitItem(splitter: Splitter): boolean {
  const { bytes, to } = splitter;
  if (splitter.item === undefined) {
    let at = splitter.from;
    while (at < to && bytes[at] !== openObject && bytes[at] !== closeList) at += 1;
    const byte = at < to ? bytes[at] : undefined;
    splitter.rest += take(splitter, at);
    if (byte === closeList) splitter.part = "rest";
    if (byte !== openObject) return false;
    splitter.item = startScan(at + 1);
  }
  const { item } = splitter;
  if (!scanItem(splitter, item)) return false;
  splitter.item = undefined;
  let json = "";
  for (const { from, to: next } of item.skipped) {
    json += take(splitter, from);
    splitter.from = next;
  }
  json += take(splitter, item.at);
  splitter.rest += "0";
  splitter.onItem(json);
  return true;
}

function take(splitter: Splitter, to: number): string {
  const text = splitter.bytes.toString("utf8", splitter.from, to);
  splitter.from = to;
  return text;
}

function startScan(at: number): ItemScan {
  return { at, depth: 1, isInString: false, read: undefined, skippedDepth: 0, skippedFrom: 0, skipped: [] };
}

/** Moves the scan behind the item's end. @returns whether the item is complete */
function scanItem({ bytes, to, members }: Splitter, item: ItemScan): boolean {
  let { at, depth } = item;
  const isOpen = (end: number) => end >= to || bytes[end] !== quote;
  if (item.isInString) {
    at = endOfString(bytes, at, to);
    item.isInString = isOpen(at);
    if (!item.isInString) at += 1;
  }
  for (; !item.isInString && at < to; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1, to);
      item.isInString = isOpen(at);
      if (item.isInString) break;
    } else if (byte === openObject || byte === openList) {
      depth += 1;
      if (depth <= 3 && item.skippedDepth === 0) onMember(bytes, { item, at, depth }, members);
    } else if (byte === closeObject || byte === closeList) {
      depth -= 1;
      if (depth === 0) break;
      if (depth === item.skippedDepth) {
        item.skipped.push({ from: item.skippedFrom, to: at });
        item.skippedDepth = 0;
      }
    }
  }
  const isComplete = depth === 0;
  Object.assign(item, { at: isComplete ? at + 1 : at, depth });
  return isComplete;
}

/** Decides at the bracket of a value whether it is skipped. */
function onMember(
  bytes: Buffer,
  { item, at, depth }: { readonly item: ItemScan; readonly at: number; readonly depth: number },
  members: ReadMembers | undefined,
): void {
  const key = keyBefore(bytes, at);
  if (depth === 2) item.read = key === undefined ? undefined : members?.[key];
  else if (key === "managedFields" || (key !== undefined && item.read !== undefined && !item.read.includes(key))) {
    item.skippedDepth = depth - 1;
    item.skippedFrom = at + 1;
  }
}

/** Returns the key of a value, where the API writes it. */
function keyBefore(bytes: Buffer, at: number): string | undefined {
  if (bytes[at - 1] !== colon || bytes[at - 2] !== quote) return undefined;
  let from = at - 2;
  while (from > 0 && bytes[from - 1] !== quote) from -= 1;
  return bytes.toString("latin1", from, at - 2);
}

/** Returns the index of the quote that ends a string; without one, where to continue. */
function endOfString(bytes: Buffer, start: number, to: number): number {
  let at = start;
  for (; at < to && bytes[at] !== quote; at += 1) {
    if (bytes[at] !== backslash) continue;
    if (at + 1 >= to) return at;
    at += 1;
  }
  return at;
}
