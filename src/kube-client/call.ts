import type { StopSignal } from "../errors/stop-signal.ts";
import type { ResourceType } from "../kube/resources.ts";

/** Fields of every call. */
export interface Call {
  readonly type: ResourceType;
  /** @default none, or all namespaces */
  readonly namespace?: string;
  readonly signal?: StopSignal;
}

/** Identifies one object. */
export interface ObjectCall extends Call {
  readonly name: string;
}

/** Reads one object. */
export interface GetCall extends ObjectCall {
  /** Return only the metadata, e.g. of a Secret. @default false */
  readonly metadataOnly?: boolean;
}

/** A request to a pod through the API's proxy. */
export interface PodProxyCall {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** E.g. `/api/v1/applications`; with query. */
  readonly path: string;
  readonly signal?: StopSignal;
}

/** A connection to a port of a pod through the API. */
export interface PodPortCall {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  readonly signal?: AbortSignal;
}

/** A command that is run in a container. */
export interface RunInPodCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  /** Chunks for its stdin, which stays open. */
  readonly input: Iterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** A call that sends an object. */
export interface BodyCall<T> extends Call {
  readonly object: T;
  /** Check a creation, with admission, and store nothing. @default false */
  readonly dryRun?: boolean;
  /** Owner of the fields that an apply sends. @default `firesteel` */
  readonly manager?: string;
}

/** Lists the objects of a kind that match both selectors. */
export interface ListCall extends Call {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Maximum number of objects. @default all */
  readonly limit?: number;
  /** Return only the metadata, e.g. of Secrets. @default false */
  readonly metadataOnly?: boolean;
}

/** Lists what a function returns of the objects that match. */
export interface SelectedListCall extends ListCall {
  /**
   * Top-level fields of which only some members that are objects or lists are read, e.g. `{ spec: ["containers"] }`; others may be empty.
   *
   * @default all members
   */
  readonly members?: Readonly<Record<string, readonly string[]>>;
}

/** Watches the objects that match. */
export interface WatchCall extends ListCall {
  /** Start after this version. @default existing objects come first, as ADDED */
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
}

/** Reads a container's log. */
export interface LogCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  readonly follow?: boolean;
  /** RFC 3339 time of the first line. */
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  /** Read the log of the container's last run before the current one. */
  readonly previous?: boolean;
  readonly signal?: StopSignal;
}

/** Changes one object by a merge patch. */
export interface PatchCall extends ObjectCall {
  readonly patch: unknown;
}

/** Deletes one object. */
export interface DeleteCall extends ObjectCall {
  readonly gracePeriodSeconds?: number;
  /** Delete only the object with this UID, not a later one of the same name. */
  readonly uid?: string | undefined;
  /** Delete only if the object still has this version. */
  readonly resourceVersion?: string | undefined;
}
