import type { Signal } from "../../host/host.ts";

/** One way to run a container as a process of this machine. */
export interface Sandbox {
  readonly name: "bwrap" | "unshare" | "process" | "fake";
  readonly start: (container: ContainerProcess) => RunningContainer;
}

/** A container, ready to run: all of the pod's volumes, names and variables are resolved. */
export interface ContainerProcess {
  /** For process listings and control files, e.g. `default/pi-driver/spark-kubernetes-driver`. */
  readonly id: string;
  /** Folder of this container alone, for control files of the sandbox. */
  readonly directory: string;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly hostname: string;
  readonly uid: number;
  readonly gid: number;
  /** What the container sees of this machine, in mounting order: a later one covers an earlier one. */
  readonly mounts: readonly Mount[];
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

export type Mount =
  | {
      readonly kind: "bind";
      readonly source: string;
      readonly target: string;
      readonly readOnly: boolean;
    }
  | { readonly kind: "temporary"; readonly target: string; readonly mode: number }
  | { readonly kind: "link"; readonly to: string; readonly target: string };

export interface RunningContainer {
  /** Of the workload's first process, as this machine numbers it. */
  readonly pid: number | undefined;
  /** To the workload's first process; SIGKILL ends all of the container. */
  readonly signal: (signal: Signal) => void;
  readonly exited: Promise<ContainerExit>;
}

export interface ContainerExit {
  /** 128 plus the number for a signal. */
  readonly code: number;
  readonly signal: string | undefined;
  /** Why it could not be started at all (StartError). */
  readonly startError: string | undefined;
  readonly outOfMemory: boolean;
}
