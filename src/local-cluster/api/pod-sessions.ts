import type { Duplex } from "node:stream";

/** What the API asks the kubelet for when a client wants to get into a pod. */
export interface PodSessions {
  /** Runs a further command in a container. */
  readonly exec: (request: CommandRequest) => Promise<CommandResult>;
  /** Joins what a container's own command prints and reads, from now on. */
  readonly attach: (request: AttachRequest) => Promise<CommandResult>;
  /** A connection to a port of a pod. Rejects with the reason why there is none. */
  readonly connect: (pod: PodName, port: number) => Promise<Duplex>;
}

export interface PodName {
  readonly namespace: string;
  readonly pod: string;
}

export interface AttachRequest extends PodName {
  /** Already resolved: the pod has such a container. */
  readonly container: string;
  readonly hasInput: boolean;
  readonly hasTerminal: boolean;
  /** A promise keeps the next output of a further command back; a container's own does not wait. */
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => unknown;
}

export interface CommandRequest extends AttachRequest {
  readonly command: readonly [string, ...string[]];
}

/** A command that runs, or why none does, in the kubelet's words. */
export type CommandResult = { readonly command: RemoteCommand } | { readonly failure: string };

/** A command that a client is connected to. */
export interface RemoteCommand {
  /** `whenTaken` is called when it can have more, or is gone. */
  readonly writeInput: (chunk: Uint8Array, whenTaken: () => void) => void;
  readonly endInput: () => void;
  /** Of its terminal, in characters. */
  readonly resize: (size: { readonly columns: number; readonly rows: number }) => void;
  /** The client is gone. */
  readonly hangUp: () => void;
  /** Its exit code, when it has no more to say. */
  readonly exited: Promise<number>;
}

/** What a connection is to be used for, once it is no longer one of HTTP. */
export type Session = CommandSession | PortSession;

export interface CommandSession {
  readonly kind: "command";
  /** What the client wants to give and get. */
  readonly streams: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  readonly begin: (onOutput: AttachRequest["onOutput"]) => Promise<CommandResult>;
}

export interface PortSession {
  readonly kind: "ports";
  /** Those that the request names; a client may ask for others later. */
  readonly ports: readonly number[];
  readonly connect: (port: number) => Promise<Duplex>;
}
