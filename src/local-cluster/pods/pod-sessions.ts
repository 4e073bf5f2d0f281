import type { Socket } from "node:net";
import { messageOf } from "../../errors/message-of.ts";
import type { CommandRequest, CommandResult, PodSessions, RemoteCommand } from "../api/pod-sessions.ts";
import type { RunningContainer } from "../sandbox/sandbox.ts";
import type { PodNetwork } from "./network/pod-network.ts";
import type { PodWorkerState } from "./pod-worker-state.ts";

/** Connects clients to the pods of a node. `findWorkerState` finds a pod that the node runs. */
export function podSessions(
  findWorkerState: (namespace: string, pod: string) => PodWorkerState | undefined,
): PodSessions {
  const find = ({ namespace, pod, container }: { namespace: string; pod: string; container: string }) => {
    const workerState = findWorkerState(namespace, pod);
    const running = workerState?.running.get(container);
    return workerState === undefined || running === undefined ? undefined : { workerState, running };
  };
  return {
    async exec(request) {
      const found = find(request);
      return found === undefined ? notRunning(request.container) : exec(found.running, request);
    },
    async attach(request) {
      const found = find(request);
      if (found === undefined) return notRunning(request.container);
      const { workerState, running } = found;
      const unsubscribe = workerState.attachments.subscribe(request.container, request.onOutput);
      return { command: attachedCommand(running, { unsubscribe, hasInput: request.hasInput }) };
    },
    async connect({ namespace, pod }, port) {
      const found = findWorkerState(namespace, pod);
      if (found?.address === undefined) throw new Error("the pod is not running");
      return open(found.context.network.connect, found.address, port);
    },
  };
}

function notRunning(container: string): CommandResult {
  return { failure: `unable to upgrade connection: container not found (${JSON.stringify(container)})` };
}

async function exec(running: RunningContainer, request: CommandRequest): Promise<CommandResult> {
  const start = await running.exec(request);
  if (start.started) return { command: start.command };
  const reason = `OCI runtime exec failed: exec failed: unable to start container process: ${start.startError}: unknown`;
  return { failure: `error executing command in container: failed to exec in container: ${reason}` };
}

function attachedCommand(
  { exited, input }: RunningContainer,
  { unsubscribe, hasInput }: { readonly unsubscribe: () => void; readonly hasInput: boolean },
): RemoteCommand {
  let hangUp = () => {};
  const disconnected = new Promise<number>((resolve) => {
    hangUp = () => resolve(0);
  });
  return {
    writeInput: (chunk, whenTaken) => {
      if (hasInput && input !== undefined) input.write(chunk, whenTaken);
      else whenTaken();
    },
    endInput: () => {
      if (hasInput) input?.end();
    },
    resize: () => {},
    hangUp,
    // Clients learn only that it has ended; the pod's status has the exit code.
    exited: Promise.race([disconnected, exited.then(() => 0)]).finally(unsubscribe),
  };
}

async function open(connectTo: PodNetwork["connect"], address: string, port: number): Promise<Socket> {
  try {
    const socket = await connectTo(address, port);
    // A client may close its side before it has the response; once the pod closes, the exchange is complete.
    socket.on("end", () => socket.end());
    return socket;
  } catch (error) {
    const reason = codeOf(error) === "ECONNREFUSED" ? "connect: connection refused" : messageOf(error);
    throw new Error(`dial tcp4 ${address}:${port}: ${reason}`);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
