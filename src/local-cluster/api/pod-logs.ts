import type { StopSignal } from "../../errors/stop-signal.ts";
/** Access to container logs, which the API requests from the kubelet. */
export interface PodLogs {
  /**
   * Reads the log of one container of a pod in the format of `kubectl logs`.
   *
   * @returns text chunks, or the status and message of the API's response, e.g. `waiting to start: ContainerCreating`
   */
  readonly read: (request: PodLogRequest) => PodLogResult;
}

export interface PodLogRequest {
  readonly namespace: string;
  readonly pod: string;
  /** An existing container of the pod. */
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
