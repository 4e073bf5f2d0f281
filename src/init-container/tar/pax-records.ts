import { TarError } from "./tar-header.ts";

/**
 * Parses the records of an extended header: `<length> <key>=<value>\n`, where the length includes itself and the line feed.
 * Values stay bytes, because a name may not be valid UTF-8.
 *
 * Source: POSIX pax.
 *
 * @throws TarError
 */
export function parsePaxRecords(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const records = new Map<string, Uint8Array>();
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(0x20, start);
    const digits = Buffer.from(bytes.subarray(start, Math.max(space, start))).toString("latin1");
    const length = /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : 0;
    const end = start + length;
    const equals = bytes.indexOf(0x3d, space);
    if (end > bytes.length || bytes[end - 1] !== 0x0a || equals <= space + 1 || equals >= end)
      throw new TarError("it has an invalid extended header");
    const key = Buffer.from(bytes.subarray(space + 1, equals)).toString("utf8");
    records.set(key, Uint8Array.from(bytes.subarray(equals + 1, end - 1)));
    start = end;
  }
  return records;
}
