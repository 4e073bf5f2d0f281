import type { ListCall } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import { metadataOnly } from "./metadata-only.ts";
import { aboutCollection } from "./target.ts";

/** A page of a list. */
export interface Page<T> {
  readonly items?: T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Results for the objects of a list. */
export interface Listed<R> {
  readonly items: R[];
  readonly resourceVersion: string;
}

const pageSize = 500;

/** Returns the request for a page: for the first one without a token. */
export function pageRequest(call: ListCall, token: string | undefined): Exchange {
  const { labelSelector, fieldSelector, limit = pageSize } = call;
  const query = { continue: token, fieldSelector, labelSelector, limit: Math.min(limit, pageSize) };
  return {
    ...aboutCollection(call, "list", query),
    method: "GET",
    ...(call.metadataOnly === true && { headers: { accept: metadataOnly("PartialObjectMetadataList") } }),
  };
}
