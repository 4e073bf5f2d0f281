import type { StopSignal } from "../../errors/stop-signal.ts";
/** What the API asks the kubelet for when a client wants a container's log. */
export interface PodLogs {
  /**
   * The log of one container of a pod, in the form that `kubectl logs` shows.
   *
   * @returns text chunks, or the reason why there are none (`waiting to start: ContainerCreating`, …): status and message
   * of the API's answer.
   */
  readonly read: (request: PodLogRequest) => PodLogResult;
}

export interface PodLogRequest {
  readonly namespace: string;
  readonly pod: string;
  /** Already resolved: the pod has such a container. */
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** Ms since 1970. */
  readonly since: number | undefined;
  readonly signal: StopSignal;
}

export type PodLogResult =
  | { readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly status: number; readonly message: string };
