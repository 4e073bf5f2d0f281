import type { IncomingMessage } from "node:http";
import type { Clock } from "../../host/host.ts";
import type { StartedSpan, Tracing } from "./tracing.ts";

interface RequestScope {
  readonly tracing: Tracing;
  readonly clock: Pick<Clock, "now">;
}

/** A request of which a span is recorded. */
interface TracedRequest {
  readonly request: IncomingMessage;
  /** Path without query, which can contain secrets. */
  readonly path: string;
  readonly protocol: string;
}

/** Span of a request. */
export interface RequestSpan extends Pick<StartedSpan, "traceparent"> {
  /** Ends it when the response is written. @param status `undefined` if there is none */
  readonly end: (status: number | undefined) => void;
}

const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"];

/**
 * Starts the span of a request, in the trace of its client.
 *
 * Source: OpenTelemetry, semantic conventions for HTTP server spans.
 */
export function startRequestSpan(
  { tracing, clock }: RequestScope,
  { request, path, protocol }: TracedRequest,
): RequestSpan {
  const { method = "GET", headers, socket } = request;
  const isKnown = methods.includes(method);
  const { traceparent: parent } = headers;
  const span = tracing.start({
    ...{ name: isKnown ? method : "HTTP", kind: "server", startMs: clock.now() },
    parent: typeof parent === "string" ? parent : undefined,
    attributes: {
      "http.request.method": isKnown ? method : "_OTHER",
      "url.path": path,
      "url.scheme": "encrypted" in socket ? "https" : "http",
      "network.protocol.version": request.httpVersion,
      "firesteel.protocol": protocol,
    },
  });
  return {
    traceparent: span.traceparent,
    end(status) {
      const failure = status === undefined ? "_OTHER" : status >= 500 ? String(status) : undefined;
      const attributes = { "http.response.status_code": status, "error.type": failure };
      span.end({ endMs: clock.now(), attributes, failure });
    },
  };
}
