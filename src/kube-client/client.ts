import type { ResourceType } from "../kube/resources.ts";
import type { KubeResource, Pod, Status } from "../kube/types.ts";
import type { WatchEvent } from "../kube/watch-event.ts";

/**
 * A Kubernetes API, as a submission uses it. Each call takes everything as arguments and remembers nothing.
 *
 * Every method throws SubmitError: `SUBMIT_ERR_KUBE_UNREACHABLE`, `…_KUBE_TIMEOUT`, `…_KUBE_UNAUTHORIZED` (401),
 * `…_KUBE_FORBIDDEN` (403), `…_KUBE_NOT_FOUND` (404), `…_KUBE_CONFLICT` (409), `…_KUBE_INVALID` (422), `…_KUBE_REFUSED` (others).
 */
export interface KubeClient {
  /** For messages, e.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, if any. */
  readonly defaultNamespace: string | undefined;
  readonly get: <T = KubeResource>(call: ObjectCall) => Promise<T>;
  readonly list: <T = KubeResource>(call: ListCall) => Promise<{ items: T[]; resourceVersion: string }>;
  readonly create: <T extends KubeResource | Pod>(call: BodyCall<T>) => Promise<T>;
  /** Server-side apply with field manager `firesteel`, conflicts forced. `created` tells a new object from a changed one. */
  readonly apply: <T extends KubeResource>(call: BodyCall<T>) => Promise<{ object: T; created: boolean }>;
  /** Merge patch. */
  readonly patch: <T = KubeResource>(call: ObjectCall & { readonly patch: unknown }) => Promise<T>;
  /** `false` when it did not exist. Policy Background. */
  readonly delete: (
    call: ObjectCall & { readonly gracePeriodSeconds?: number; readonly uid?: string },
  ) => Promise<boolean>;
  /** One watch request: events until the server ends it. The caller re-watches. 410 is an event of type ERROR. */
  readonly watch: <T = KubeResource>(call: WatchCall) => AsyncIterable<WatchEvent<T>>;
  /** Chunks of a container's log; ends with the container when `follow`. */
  readonly logs: (call: LogCall) => AsyncIterable<Uint8Array>;
  /** Closes idle connections, so that the program can end. */
  readonly close: () => void;
}

export interface Call {
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

export interface ObjectCall extends Call {
  readonly name: string;
}

export interface BodyCall<T> extends Call {
  readonly object: T;
}

export interface ListCall extends Call {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WatchCall extends ListCall {
  /** Events after this version; absent: what exists comes first as ADDED. */
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
}

export interface LogCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  readonly follow?: boolean;
  /** RFC 3339; lines from then on. */
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly signal?: AbortSignal;
}

/** The API's own words about a refused call. */
export type ApiStatus = Status;
