import { resourcePath } from "../kube/resources.ts";
import type { Call, ObjectCall } from "./call.ts";
import type { Exchange } from "./exchange.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type RequestTarget = Omit<Exchange, "method">;

/** Describes a request for a collection: its target, and fields for messages. */
export function aboutCollection(call: Call, verb: string, query: Query = {}): RequestTarget {
  const { type, namespace, signal } = call;
  return { verb, type, namespace, signal, target: `${resourcePath(type, namespace)}${printQuery(query)}` };
}

/** Describes a request for one object. */
export function aboutObject(call: ObjectCall, verb: string, query: Query = {}): RequestTarget {
  const { type, namespace, name, signal } = call;
  return {
    verb,
    type,
    namespace,
    name,
    signal,
    target: `${resourcePath(type, namespace, name)}${printQuery(query)}`,
  };
}

/** Describes a request for a subresource, e.g. a pod's `log`. */
export function aboutSubresource(
  call: ObjectCall & { subresource: string },
  verb: string,
  query: Query,
): RequestTarget {
  const { subresource, type, namespace, name } = call;
  const target = `${resourcePath(type, namespace, name)}/${subresource}${printQuery(query)}`;
  return { ...aboutObject(call, verb), subresource, target };
}

function printQuery(query: Query): string {
  const terms = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return terms.length === 0 ? "" : `?${terms.join("&")}`;
}
