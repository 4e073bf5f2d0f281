import type { Duplex } from "node:stream";

/** Access to containers and ports of pods, which the API requests from the kubelet. */
export interface PodSessions {
  /** Runs another command in a container. */
  readonly exec: (request: CommandRequest) => Promise<CommandResult>;
  /** Joins the output and input of a container's own command from now on. */
  readonly attach: (request: AttachRequest) => Promise<CommandResult>;
  /** Connects to a port of a pod. Rejects with the reason why that is impossible. */
  readonly connect: (pod: PodName, port: number) => Promise<Duplex>;
}

export interface PodName {
  readonly namespace: string;
  readonly pod: string;
}

export interface AttachRequest extends PodName {
  /** An existing container of the pod. */
  readonly container: string;
  readonly hasInput: boolean;
  readonly hasTerminal: boolean;
  /** If it returns a promise, the next output of an additional command waits for it. A container's own command does not wait. */
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => unknown;
}

export interface CommandRequest extends AttachRequest {
  readonly command: readonly [string, ...string[]];
}

/** A running command, or the kubelet's message why it does not run. */
export type CommandResult = { readonly command: RemoteCommand } | { readonly failure: string };

/** A command that a client is connected to. */
export interface RemoteCommand {
  /** Writes input; `onDrained` is called when the command can take more or has exited. */
  readonly writeInput: (chunk: Uint8Array, onDrained: () => void) => void;
  readonly endInput: () => void;
  /** Resizes its terminal, in characters. */
  readonly resize: (size: { readonly columns: number; readonly rows: number }) => void;
  /** Ends the command because its client has disconnected. */
  readonly hangUp: () => void;
  /** The exit code, after all output was passed on. */
  readonly exited: Promise<number>;
}

/** The use of a connection after its upgrade from HTTP. */
export type Session = CommandSession | PortSession;

export interface CommandSession {
  readonly kind: "command";
  /** The streams that the client requests. */
  readonly streams: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  readonly start: (onOutput: AttachRequest["onOutput"]) => Promise<CommandResult>;
}

export interface PortSession {
  readonly kind: "ports";
  /** Ports that the request names. A client may request others later. */
  readonly ports: readonly number[];
  readonly connect: (port: number) => Promise<Duplex>;
}
