import type { Signal } from "../../host/host.ts";
import type { Capability } from "./capabilities.ts";
import type { ResourceBounds } from "./resource-bounds.ts";

/** Mechanism that runs a container as a process of this machine. */
export interface Sandbox {
  readonly name: "bwrap" | "unshare" | "process" | "fake";
  /** Notice for the user when the sandbox does not isolate: the reason and a remedy. */
  readonly notice?: string;
  /** Starts a container. Resolves when its first process runs, or with the reason why it cannot run. */
  readonly start: (container: ContainerProcess) => Promise<ContainerStart>;
  /** Registers a directory to remove when Firesteel ends, even if it crashes. */
  readonly watchDirectory: (path: string) => void;
  /** Ends all running containers and the watchdog. */
  readonly stop: () => Promise<void>;
}

/**
 * Result of starting a container. `startError` is a container runtime's message, e.g. `exec: "nosuch": executable
 * file not found in $PATH`.
 */
export type ContainerStart =
  | { readonly started: true; readonly container: RunningContainer }
  | { readonly started: false; readonly startError: string };

/** A container that is ready to run: the pod's volumes, names and variables are resolved. */
export interface ContainerProcess {
  /** Name in process listings and control files, e.g. `default/pi-driver/spark-kubernetes-driver`. */
  readonly id: string;
  /** Directory of this container alone, for control files of the sandbox. */
  readonly directory: string;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly hostname: string;
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups; ignored by sandboxes with a single user. */
  readonly groups: readonly number[];
  /** Capabilities of user 0; ignored by sandboxes with a single user. */
  readonly capabilities: readonly Capability[];
  readonly bounds: ResourceBounds;
  /** Command prefix that enters the pod's network namespace. @default this machine's network */
  readonly networkEntry?: readonly string[];
  /** Preference of the kernel when it kills for lack of memory, up to 1000, which is first. */
  readonly oomScoreAdjustment: number;
  /** Whether the container can write to its volumes only. */
  readonly isRootReadOnly: boolean;
  /** Files of this machine that the container sees, in mounting order: a later mount covers an earlier one. */
  readonly mounts: readonly Mount[];
  /** The pod's annotations; the fake sandbox reads its script from them. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /** Whether its first process can receive input. @default false: input ends immediately */
  readonly hasInput?: boolean;
}

/** Mount at a path of the container: a bind of this machine's files, an empty directory, or a link. */
export type Mount =
  | {
      readonly kind: "bind";
      readonly source: string;
      readonly target: string;
      readonly readOnly: boolean;
      /**
       * `device:inode` of the source, if another program can replace it until it is mounted: the container does not run unless
       * its target is this file or directory.
       */
      readonly identity?: string;
      /** Small text files that may contain paths of the container: rewritten where mounting is not possible. */
      readonly texts?: boolean;
      /** Only at `/`: the container's changes go to its own directory, and the source stays unchanged. */
      readonly isCopyOnWrite?: true;
    }
  | {
      readonly kind: "temporary";
      readonly target: string;
      readonly mode: number;
      /** Whether it only hides what an earlier mount shows; ignored where mounting is not possible. */
      readonly isMask?: true;
    }
  | { readonly kind: "link"; readonly to: string; readonly target: string };

/** A started container. */
export interface RunningContainer {
  /** Sends a signal to the workload's first process; SIGKILL ends the whole container. */
  readonly signal: (signal: Signal) => void;
  /** Resolves when the whole container has ended and its output has been delivered. */
  readonly exited: Promise<ContainerExit>;
  /** Runs an additional command in the container, as its user, with its environment and working directory. */
  readonly exec: (request: ExecRequest) => Promise<CommandStart>;
  /** Input of its first process, if `hasInput` was set. */
  readonly input?: {
    readonly write: (chunk: Uint8Array, whenTaken?: () => void) => void;
    readonly end: () => void;
  };
}

/** Request to run an additional command in a container. */
export interface ExecRequest {
  readonly command: readonly [string, ...string[]];
  /** Without input, the command's input ends immediately. */
  readonly hasInput: boolean;
  /** On a terminal, both outputs arrive as `stdout`. Ignored if this machine cannot create a terminal. */
  readonly hasTerminal: boolean;
  /** Receives output; a returned promise delays the next chunk. */
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => unknown;
}

/** Result of starting a command; `startError` as for containers. */
export type CommandStart =
  | { readonly started: true; readonly command: RunningCommand }
  | { readonly started: false; readonly startError: string };

/** A running additional command. */
export interface RunningCommand {
  /** `whenTaken` is called when the command accepts more input, or has ended. */
  readonly writeInput: (chunk: Uint8Array, whenTaken?: () => void) => void;
  readonly endInput: () => void;
  /** Sets the terminal's size in characters. */
  readonly resize: (size: { readonly columns: number; readonly rows: number }) => void;
  /** Called when the client disconnects: ends the command's input and the processes on its terminal. */
  readonly hangUp: () => void;
  /** Kills the command and its descendants immediately. */
  readonly kill: () => void;
  /** Exit code, or 128 plus the signal number; resolves when its outputs are closed. */
  readonly exited: Promise<number>;
}

/** Result of an ended container. */
export interface ContainerExit {
  /** Exit code, or 128 plus the signal number. */
  readonly code: number;
  /** Reason why the command never ran, if it became known only after `start`. */
  readonly startError: string | undefined;
  readonly outOfMemory: boolean;
}
