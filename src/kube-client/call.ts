import type { StopSignal } from "../errors/stop-signal.ts";
import type { ResourceType } from "../kube/resources.ts";

/** Fields of every call. */
export interface Call {
  readonly type: ResourceType;
  /** Absent: the kind has none, or all of them. */
  readonly namespace?: string;
  readonly signal?: StopSignal;
}

/** About one object. */
export interface ObjectCall extends Call {
  readonly name: string;
}

/** To read one object. */
export interface GetCall extends ObjectCall {
  /** Its metadata and nothing else, e.g. of a Secret. @default false */
  readonly metadataOnly?: boolean;
}

/** About what a pod serves, asked for through the API. */
export interface PodProxyCall {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** E.g. `/api/v1/applications`; with query. */
  readonly path: string;
  readonly signal?: StopSignal;
}

/** About a port of a pod, reached through the API. */
export interface PodPortCall {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  readonly signal?: AbortSignal;
}

/** With the object to be sent. */
export interface BodyCall<T> extends Call {
  readonly object: T;
}

/** About all objects of a kind, or those that both selectors let through. */
export interface ListCall extends Call {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** At most so many. @default all of them */
  readonly limit?: number;
}

/** About changes of these objects. */
export interface WatchCall extends ListCall {
  /** Events after this version; absent: what exists comes first as ADDED. */
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
}

/** About a container's log. */
export interface LogCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  readonly follow?: boolean;
  /** RFC 3339; lines from then on. */
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly signal?: StopSignal;
}

/** About one object, and what is to change, as a merge patch. */
export interface PatchCall extends ObjectCall {
  readonly patch: unknown;
}

/** About one object that is to go. */
export interface DeleteCall extends ObjectCall {
  readonly gracePeriodSeconds?: number;
  /** Only this very object, not a later one of the same name. */
  readonly uid?: string;
  /** Only if it has not changed since. */
  readonly resourceVersion?: string;
}
