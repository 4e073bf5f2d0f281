/** Values that describe a span. They must not contain secrets; `undefined` is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** Start of a span. Times are in ms since 1970. */
export interface SpanStart {
  readonly name: string;
  /** `server`: a request of a client. */
  readonly kind: "server" | "internal";
  readonly startMs: number;
  /** Parent, as the header `traceparent` of W3C Trace Context. An invalid one starts a new trace. @default a new trace */
  readonly parent?: string | undefined;
  readonly attributes: SpanAttributes;
}

/** End of a span. */
export interface SpanEnd {
  readonly endMs: number;
  readonly attributes?: SpanAttributes | undefined;
  /** Short reason of a failure. @default it did not fail */
  readonly failure?: string | undefined;
}

/** A span that has not ended. */
export interface StartedSpan {
  /** The span as a parent of others, in the form of the header `traceparent`; `undefined` without tracing. */
  readonly traceparent: string | undefined;
  readonly end: (end: SpanEnd) => void;
}

/** Records what the gateway does as spans of distributed traces. */
export interface Tracing {
  readonly start: (span: SpanStart) => StartedSpan;
  /** Exports the spans that have ended, for a limited time. */
  readonly close: () => Promise<void>;
}

/** Records nothing. */
export const noTracing: Tracing = {
  start: () => ({ traceparent: undefined, end: () => {} }),
  close: async () => {},
};
