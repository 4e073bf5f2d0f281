/** The part of a content that is asked for: bytes from `start` up to, not including, `end`. */
type ByteRange =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly start: number; readonly end: number }
  | { readonly kind: "none" };

/**
 * Parses a `Range` header for `sizeBytes` bytes; ignores multiple ranges and invalid ranges.
 *
 * Source: RFC 9110, 14.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange {
  const [, first = "", last = ""] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return { kind: "whole" };
  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (first !== "" && last !== "" && Number(last) < start) return { kind: "whole" };
  return start < end ? { kind: "part", start, end } : { kind: "none" };
}
