import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import { messageOf } from "../../errors/message-of.ts";
import type { Clock } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { TracingPackages } from "./load-packages.ts";
import { parseTraceparent, printTraceparent } from "./traceparent.ts";
import type { SpanAttributes, SpanStart, Tracing } from "./tracing.ts";

interface TracingScope {
  readonly clock: Pick<Clock, "sleep">;
  /** Limited: an export fails every few seconds while its receiver is down. */
  readonly log: ServerLog;
}

/** Name of the service, unless `OTEL_SERVICE_NAME` sets another one. */
const serviceName = "firesteel-gateway";
/** Time for the last export. */
const closeMs = 5000;

/** Returns a tracing that exports by OTLP over HTTP. The packages read their own variables. */
export function openTelemetryTracing(packages: TracingPackages, { clock, log }: TracingScope): Tracing {
  const { api, sdk, resources, exporter } = packages;
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ "service.name": serviceName }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const processor = new sdk.BatchSpanProcessor(withLog(new exporter.OTLPTraceExporter(), log));
  // Not registered globally, so that no other code of this process records spans.
  const provider = new sdk.BasicTracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer("firesteel");
  const contextOf = (parent: string | undefined) => {
    const identity = parent === undefined ? undefined : parseTraceparent(parent);
    if (identity === undefined) return api.ROOT_CONTEXT;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...identity, isRemote: true });
  };
  return {
    start({ name, kind, startMs, parent, attributes }: SpanStart) {
      const spanKind = kind === "server" ? api.SpanKind.SERVER : api.SpanKind.INTERNAL;
      const options = { kind: spanKind, startTime: startMs, attributes: definedOf(attributes) };
      const span = tracer.startSpan(name, options, contextOf(parent));
      return {
        traceparent: printTraceparent(span.spanContext()),
        end({ endMs, attributes: more = {}, failure }) {
          span.setAttributes(definedOf(more));
          if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure });
          span.end(Math.max(startMs, endMs));
        },
      };
    },
    async close() {
      const done = new AbortController();
      const closing = provider.shutdown().then(() => true);
      const timeout = clock.sleep(closeMs, { signal: done.signal, background: true }).then(() => false);
      try {
        if (!(await Promise.race([closing, timeout])))
          log("WARN", "The last traces could not be exported in time.", { seconds: closeMs / 1000 });
      } catch (error) {
        log("WARN", "The last traces could not be exported.", { reason: messageOf(error) });
      } finally {
        done.abort();
      }
    },
  };
}

function definedOf(attributes: SpanAttributes): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Logs exports that fail. */
function withLog(exporter: SpanExporter, log: ServerLog): SpanExporter {
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined)
          log("WARN", "Traces could not be exported.", { spans: spans.length, reason: messageOf(result.error) });
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush !== undefined && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
