import { startReceiver } from "./http-receiver.ts";

/** A span as OTLP has it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  /** In ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Code 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  readonly service: unknown;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface ExportedSpan extends Omit<ReceivedSpan, "startMs" | "endMs" | "attributes" | "service"> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** Starts a receiver of OTLP over HTTP in JSON, which responds with a status, or not at all. */
export async function startTraceReceiver(statusOf: () => number | "none" = () => 200) {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const url = await startReceiver(({ body }) => {
    const status = statusOf();
    bodies.push(body);
    if (status === 200) spans.push(...spansIn(JSON.parse(body)));
    return status;
  });
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "50" }, spans, bodies };
}

function spansIn({ resourceSpans }: Export): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, attributes, ...span }) => ({
        ...span,
        startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
        attributes: valuesOf(attributes),
        service: valuesOf(resource.attributes)["service.name"],
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
