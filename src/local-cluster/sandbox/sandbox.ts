import type { Signal } from "../../host/host.ts";
import type { ResourceBounds } from "./resource-bounds.ts";

/** One way to run a container as a process of this machine. */
export interface Sandbox {
  readonly name: "bwrap" | "unshare" | "process" | "fake";
  /** What its user should know of it: why it is none that isolates, and what would help. */
  readonly notice?: string;
  /** Starts a container; resolves as soon as its first process runs, or with the reason why it cannot. */
  readonly start: (container: ContainerProcess) => Promise<ContainerStart>;
  /** A folder that is to go when we do, however that happens. */
  readonly watchDirectory: (path: string) => void;
  /** Ends what still runs, and what watches over it. */
  readonly stop: () => Promise<void>;
}

/** `startError` is in a container runtime's words, e.g. `exec: "nosuch": executable file not found in $PATH`. */
export type ContainerStart =
  | { readonly started: true; readonly container: RunningContainer }
  | { readonly started: false; readonly startError: string };

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
  /** Supplementary groups; a sandbox that knows only one user ignores them. */
  readonly groups: readonly number[];
  readonly bounds: ResourceBounds;
  /** What the container sees of this machine, in mounting order: a later one covers an earlier one. */
  readonly mounts: readonly Mount[];
  /** Of the pod; the fake sandbox reads its script from them. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /** Whether its first process may be given input. @default no: it finds an end at once */
  readonly hasInput?: boolean;
}

/** Something at a path of the container: of this machine, empty, or a link. */
export type Mount =
  | {
      readonly kind: "bind";
      readonly source: string;
      readonly target: string;
      readonly readOnly: boolean;
      /** Small texts that may name paths of the container: where nothing can be mounted they are rewritten. */
      readonly texts?: boolean;
      /** Only at `/`: what the container writes goes to its own folder, and the source stays as it is. */
      readonly changes?: "apart";
    }
  | { readonly kind: "temporary"; readonly target: string; readonly mode: number }
  | { readonly kind: "link"; readonly to: string; readonly target: string };

/** A container that was started. */
export interface RunningContainer {
  /** To the workload's first process; SIGKILL ends all of the container. */
  readonly signal: (signal: Signal) => void;
  /** Resolves when all of the container ended and its output was handed on. */
  readonly exited: Promise<ContainerExit>;
  /** Runs a further command in the container, as its user, with its environment and in its working directory. */
  readonly exec: (request: ExecRequest) => Promise<CommandStart>;
  /** Of its first process, where it was wanted. */
  readonly input?: {
    readonly write: (chunk: Uint8Array, whenTaken?: () => void) => void;
    readonly end: () => void;
  };
}

/** A further command for a running container. */
export interface ExecRequest {
  readonly command: readonly [string, ...string[]];
  /** Without input, it finds an end at once. */
  readonly hasInput: boolean;
  /** On a terminal of its own, both outputs are one, `stdout`; without where this machine cannot make one. */
  readonly hasTerminal: boolean;
  /** A promise keeps the next output back. */
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => unknown;
}

/** `startError` as with containers. */
export type CommandStart =
  | { readonly started: true; readonly command: RunningCommand }
  | { readonly started: false; readonly startError: string };

/** A further command that runs. */
export interface RunningCommand {
  /** `whenTaken` is called when it can have more, or is gone. */
  readonly writeInput: (chunk: Uint8Array, whenTaken?: () => void) => void;
  readonly endInput: () => void;
  /** Of its terminal, in characters. */
  readonly resize: (size: { readonly columns: number; readonly rows: number }) => void;
  /** Its user is gone: its input ends, and so does what runs on its terminal. */
  readonly hangUp: () => void;
  /** Ends it at once, with what it started. */
  readonly kill: () => void;
  /** Its exit code, 128 plus the number for a signal, when its outputs are closed. */
  readonly exited: Promise<number>;
}

/** How a container ended. */
export interface ContainerExit {
  /** 128 plus the number for a signal. */
  readonly code: number;
  /** Why its command never ran, when that came out only after `start`. */
  readonly startError: string | undefined;
  readonly outOfMemory: boolean;
}
