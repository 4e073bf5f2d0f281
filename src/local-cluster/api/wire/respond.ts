import { dump } from "js-yaml";
import type { ApiResponse } from "../../../kube/transport.ts";
import type { JsonObject } from "../json.ts";
import type { FailureStatus } from "../status.ts";
import type { Representation } from "./accept.ts";
import { encodeProtobuf } from "./protobuf-writer.ts";
import type { Viewer } from "./views.ts";
import { warningHeader } from "./warning-header.ts";

/** Options of writing a response. */
export interface Writing {
  readonly representation: Representation;
  readonly viewer: Viewer | undefined;
  readonly warnings: readonly string[];
  readonly isPretty: boolean;
}

/** A response whose body may end early. */
export interface BodyResponse extends ApiResponse {
  /** Calls `listener` when the rest of the body is discarded because the client reads too slowly. */
  readonly onDrop?: (listener: () => void) => void;
}

/** A result that is written as a body. */
export type BodyResult =
  | { readonly type: "object"; readonly status: number; readonly object: JsonObject }
  | {
      readonly type: "list";
      readonly items: readonly JsonObject[];
      /** ListMeta: resourceVersion, continue, remainingItemCount. */
      readonly metadata: JsonObject;
    }
  | {
      readonly type: "stream";
      readonly contentType: string;
      readonly chunks: AsyncIterable<Uint8Array>;
      readonly onDrop?: BodyResponse["onDrop"];
    }
  | {
      /** The response of a proxied server. */
      readonly type: "response";
      readonly response: ApiResponse;
    }
  | {
      readonly type: "text";
      readonly status: number;
      readonly text: string;
    };

/** Writes an action's result in the format that the client requests. */
export function respond(result: BodyResult, writing: Writing): BodyResponse {
  switch (result.type) {
    case "text":
      if (result.status === 204) return { status: 204, headers: {}, body: emptyBody() };
      return withBody(result.status, "text/plain; charset=utf-8", Buffer.from(result.text), writing.warnings);
    case "response":
      return result.response;
    case "stream":
      return {
        ...{ status: 200, headers: headersOf(result.contentType, writing.warnings), body: result.chunks },
        ...(result.onDrop === undefined ? {} : { onDrop: result.onDrop }),
      };
    case "list": {
      const { viewer } = writing;
      const object = viewer === undefined ? { items: result.items } : viewer.list(result.items, result.metadata);
      return document(200, object, writing);
    }
    case "object": {
      const isStatus = result.object["kind"] === "Status";
      const { viewer } = writing;
      return document(
        result.status,
        viewer === undefined || isStatus ? result.object : viewer.one(result.object),
        writing,
      );
    }
  }
}

/** Writes a failure status. */
export function respondFailure(
  status: FailureStatus,
  writing: Pick<Writing, "representation" | "warnings">,
): ApiResponse {
  const response = document(status.code, status, { ...writing, isPretty: false });
  const seconds = status.details?.retryAfterSeconds;
  if (seconds === undefined) return response;
  return { ...response, headers: { ...response.headers, "retry-after": String(seconds) } };
}

function document(
  status: number,
  object: JsonObject,
  { representation, warnings, isPretty }: Pick<Writing, "representation" | "warnings" | "isPretty">,
): ApiResponse {
  if (representation.media === "yaml") {
    return withBody(
      status,
      "application/yaml",
      Buffer.from(dump(withoutUndefined(object), { sortKeys: true })),
      warnings,
    );
  }
  const binary = representation.media === "protobuf" ? encodeProtobuf(object) : undefined;
  if (binary !== undefined) return withBody(status, "application/vnd.kubernetes.protobuf", binary, warnings);
  const type = representation.view === "discovery" ? discoveryType(representation) : "application/json";
  const text = isPretty ? JSON.stringify(object, undefined, 2) : JSON.stringify(object);
  return withBody(status, type, Buffer.from(`${text}\n`), warnings);
}

function withoutUndefined(object: JsonObject): unknown {
  return JSON.parse(JSON.stringify(object));
}

function discoveryType({ version }: Representation): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

function withBody(status: number, type: string, body: Uint8Array, warnings: readonly string[]): ApiResponse {
  const headers = { ...headersOf(type, warnings), "content-length": String(body.length) };
  return { status, headers, body: once(body) };
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function headersOf(type: string, warnings: readonly string[]): Record<string, string> {
  const warning = warningHeader(warnings);
  return {
    "cache-control": "no-cache, private",
    "content-type": type,
    ...(warning === undefined ? {} : { warning }),
  };
}
