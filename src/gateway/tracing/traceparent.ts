/** Identity of a span in a trace. */
export interface SpanIdentity {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 1: the span is recorded. */
  readonly traceFlags: number;
}

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Parses a header `traceparent`; `undefined` if it is invalid.
 *
 * Source: W3C Trace Context, section "traceparent header".
 */
export function parseTraceparent(text: string): SpanIdentity | undefined {
  const [, version = "", traceId = "", spanId = "", flags = "", extension] = form.exec(text) ?? [];
  if (version === "" || version === "ff" || (version === "00" && extension !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** Prints a header `traceparent`. */
export function printTraceparent({ traceId, spanId, traceFlags }: SpanIdentity): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
