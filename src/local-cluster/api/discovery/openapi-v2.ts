import type { JsonObject } from "../json.ts";
import type { ServedKinds } from "../served-kinds.ts";
import type { BodyResult } from "../wire/respond.ts";
import { customSchemaName, customSchemaV2 } from "./custom-schema.ts";

const info = { title: "Kubernetes", version: "v1.35" };

/**
 * Builds the OpenAPI v2 document. It describes only custom resources: newer clients read version 3, and older ones check that the
 * document exists.
 */
export function openApiV2(kinds: ServedKinds): JsonObject {
  const definitions = kinds.all().flatMap((kind) => {
    return kind.custom === undefined ? [] : [[customSchemaName(kind), customSchemaV2(kind, kind.custom.schema)]];
  });
  const metadata = { "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object" } };
  return {
    ...{ swagger: "2.0", info, paths: {} },
    ...(definitions.length === 0 ? {} : { definitions: { ...metadata, ...Object.fromEntries(definitions) } }),
  };
}

/** Builds the OpenAPI v2 document in protobuf, without descriptions: kubectl validates what it does not describe on the server. */
export function openApiV2Protobuf(): BodyResult {
  const body = Buffer.concat([
    field(1, Buffer.from("2.0")),
    field(2, Buffer.concat([field(1, Buffer.from(info.title)), field(2, Buffer.from(info.version))])),
    field(8, Buffer.alloc(0)),
  ]);
  const headers = {
    "content-type": "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    "content-length": String(body.length),
  };
  return { type: "response", response: { status: 200, headers, body: once(body) } };
}

/** Encodes a field of fewer than 128 bytes. */
function field(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
