import type { Duplex } from "node:stream";
import type { Transport } from "../kube/transport.ts";
import type { KubeResource, Pod } from "../kube/types.ts";
import type { WatchEvent } from "../kube/watch-event.ts";
import type {
  BodyCall,
  DeleteCall,
  GetCall,
  ListCall,
  LogCall,
  PatchCall,
  PodPortCall,
  PodProxyCall,
  RunInPodCall,
  SelectedListCall,
  WatchCall,
} from "./call.ts";
import { deleteObject } from "./delete-object.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { listAll } from "./list.ts";
import { metadataOnly } from "./metadata-only.ts";
import { fetchFromPod, streamLog } from "./pod-calls.ts";
import { requireObject } from "./require-object.ts";
import { readChanged, readJson } from "./response.ts";
import { aboutCollection, aboutObject } from "./target.ts";
import { watchOnce } from "./watch.ts";

/**
 * A Kubernetes API, as a submission uses it. Calls keep no state.
 *
 * Every method throws SubmitError: `SUBMIT_ERR_KUBE_UNREACHABLE`, `…_KUBE_TIMEOUT`, `…_KUBE_UNAUTHORIZED` (401),
 * `…_KUBE_FORBIDDEN` (403; and others, see `forbiddenCode`), `…_KUBE_NOT_FOUND` (404), `…_KUBE_CONFLICT` (409), `…_KUBE_TOO_LARGE` (413), `…_KUBE_INVALID`
 * (422), `…_KUBE_REJECTED` (others), `…_KUBE_RESPONSE` (no Kubernetes at all), `SUBMIT_ERR_INTERRUPTED` (the call's signal).
 *
 * @example
 * ```ts
 * const serverOf = (client: KubeClient) => client.server;
 * ```
 */
export interface KubeClient {
  /** For messages, e.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, if any. */
  readonly defaultNamespace: string | undefined;
  readonly get: <T = KubeResource>(call: GetCall) => Promise<T>;
  readonly list: <T = KubeResource>(call: ListCall) => Promise<{ items: T[]; resourceVersion: string }>;
  /** Lists what `select` returns of each object: only one object is in memory. */
  readonly listSelected: <T, R>(call: SelectedListCall, select: (object: T) => R) => Promise<R[]>;
  readonly create: <T extends KubeResource | Pod>(call: BodyCall<T>) => Promise<T>;
  /** Server-side apply, conflicts forced. `created` is true for a new object. */
  readonly apply: <T extends KubeResource>(call: BodyCall<T>) => Promise<{ object: T; created: boolean }>;
  /** Merge patch. */
  readonly patch: <T = KubeResource>(call: PatchCall) => Promise<T>;
  /** Returns `false` if the object did not exist. Propagation policy: Background. */
  readonly delete: (call: DeleteCall) => Promise<boolean>;
  /** One watch request: events until the server ends it. The caller re-watches. 410 is an event of type ERROR. */
  readonly watch: <T = KubeResource>(call: WatchCall) => AsyncIterable<WatchEvent<T>>;
  /** Chunks of a container's log; ends with the container when `follow`. */
  readonly logs: (call: LogCall) => AsyncIterable<Uint8Array>;
  /** Fetches JSON from a pod. */
  readonly fromPod: <T>(call: PodProxyCall) => Promise<T>;
  /** Opens a connection to a port of a pod. It can fail later, with the message of the node that could not reach the port. */
  readonly connectToPod: (call: PodPortCall) => Promise<Duplex>;
  /** Runs a command in a container with input for its stdin. Throws an Error with the reason if the command fails. */
  readonly runInPod: (call: RunInPodCall) => Promise<void>;
  /** Returns a client of the same API that neither retries nor logs, for callers with their own retries. */
  readonly withoutRetries: () => KubeClient;
  /** Returns a client whose requests pass another transport, e.g. one that adds headers. */
  readonly withTransport: (wrap: (transport: Transport) => Transport) => KubeClient;
  /** Closes idle connections, so that the program can end. */
  readonly close: () => void;
}

/** Field manager of Firesteel in an object's `managedFields`. */
export const fieldManager = "firesteel";

/** Dependencies of a client. */
interface KubeClientOptions extends Api {
  /** @default undefined */
  readonly defaultNamespace?: string | undefined;
  /** Closes the transport's idle connections. */
  readonly close?: () => void;
}

/**
 * Creates a client of one API.
 *
 * @example
 * ```ts
 * const { transport, url: server } = cluster;
 * const client = kubeClient({ transport, server, clock: nodeHost().clock, log: () => {}, requestTimeoutMs: 10_000 });
 * ```
 */
export function kubeClient(api: KubeClientOptions): KubeClient {
  const send = <T>(call: Exchange) => exchange(api, call, (response) => readChanged<T>(api, call, response));
  return {
    server: api.server,
    defaultNamespace: api.defaultNamespace,
    get<T>(call: GetCall) {
      const request: Exchange = {
        ...aboutObject(call, "get"),
        method: "GET",
        ...(call.metadataOnly === true && { headers: { accept: metadataOnly("PartialObjectMetadata") } }),
      };
      return exchange(api, request, async (response) =>
        requireObject(api, request, await readJson<T>(api, request, response)),
      );
    },
    list: <T>(call: ListCall) => listAll<T>(api, call),
    listSelected: async (call, select) => (await listAll(api, call, select)).items,
    create: <T>(call: BodyCall<T>) =>
      send<T>({
        ...aboutCollection(call, "create", { fieldManager, dryRun: call.dryRun === true ? "All" : undefined }),
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(call.object),
      }),
    apply(call) {
      const target = { ...call, name: call.object.metadata.name ?? "" };
      const request: Exchange = {
        ...aboutObject(target, "patch", { fieldManager: call.manager ?? fieldManager, force: "true" }),
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify(call.object),
      };
      return exchange(api, request, async (response) => ({
        object: await readChanged(api, request, response),
        created: response.status === 201,
      }));
    },
    patch: <T>(call: PatchCall) =>
      send<T>({
        ...aboutObject(call, "patch", { fieldManager }),
        method: "PATCH",
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify(call.patch),
      }),
    delete: (call) => deleteObject(api, call),
    watch: (call) => watchOnce(api, call),
    logs: (call) => streamLog(api, call),
    fromPod: (call) => fetchFromPod(api, call),
    async connectToPod(call) {
      const { connectToPod } = await import("./pod-port.ts");
      return connectToPod(api, call);
    },
    async runInPod(call) {
      const { runInPod } = await import("./run-in-pod.ts");
      return runInPod(api, call);
    },
    withTransport: (wrap) => kubeClient({ ...api, transport: wrap(api.transport) }),
    withoutRetries: () => kubeClient({ ...api, log: () => {}, retry: { retries: 0 } }),
    close: api.close ?? (() => {}),
  };
}
