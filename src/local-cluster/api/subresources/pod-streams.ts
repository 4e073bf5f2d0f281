import type { Action, ApiScope, Call } from "../call.ts";
import { isObject } from "../json.ts";
import type { CommandSession, PodSessions, Session } from "../pod-sessions.ts";
import { badRequest, internalErrorOf } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { find } from "../verbs/get.ts";
import { flag } from "../wire/query.ts";
import { containerOf } from "./pod-container.ts";

/** Runs a command in a container, connected to the client: `pods/exec`. */
export const execInPod: Action = (api, call) => {
  const { sessions, target } = podTarget(api, call);
  const [command, ...args] = call.query.getAll("command");
  const streams = streamsOf(call);
  if (command === undefined) throw badRequest("you must specify at least one command for the container");
  const hasTerminal = flag(call.query, "tty");
  return session({
    kind: "command",
    streams,
    start: (onOutput) =>
      sessions.exec({
        ...{ ...target, command: [command, ...args], hasInput: streams.stdin, hasTerminal, onOutput },
      }),
  });
};

/** Connects the client to a container's own command: `pods/attach`. */
export const attachToPod: Action = (api, call) => {
  const { sessions, target } = podTarget(api, call);
  const streams = streamsOf(call);
  const hasTerminal = flag(call.query, "tty");
  return session({
    kind: "command",
    streams,
    start: (onOutput) => sessions.attach({ ...target, hasInput: streams.stdin, hasTerminal, onOutput }),
  });
};

/** Each port has two channels, whose number is one byte. */
const maxPorts = 128;

/** Tunnels connections to ports of a pod: `pods/portforward`. */
export const forwardPorts: Action = (api, call) => {
  const pod = find(api, call);
  const sessions = sessionsOf(api, call, pod);
  const name = { namespace: call.namespace ?? "", pod: call.name };
  const ports = call.query
    .getAll("ports")
    .flatMap((list) => list.split(","))
    .map(portOf);
  if (ports.length > maxPorts) throw badRequest(`at most ${maxPorts} ports are supported, got ${ports.length}`);
  return session({ kind: "ports", ports, connect });
  async function connect(port: number) {
    try {
      return await sessions.connect(name, port);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`error forwarding port ${port} to pod ${pod.metadata.uid}, uid : ${reason}`);
    }
  }
};

function session(found: Session) {
  return { type: "session", session: found } as const;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}

function podTarget(api: ApiScope, call: Call) {
  const pod = find(api, call);
  const container = containerOf(pod, call.query.get("container") ?? "");
  const sessions = sessionsOf(api, call, pod);
  return { sessions, target: { namespace: call.namespace ?? "", pod: call.name, container } };
}

/** Returns access to the pod. @throws StatusError 400 if it has no node, 500 if no node runs */
function sessionsOf(api: ApiScope, call: Call, { spec }: StoredObject): PodSessions {
  const node = isObject(spec) ? spec["nodeName"] : undefined;
  if (node === undefined || node === "") throw badRequest(`pod ${call.name} does not have a host assigned`);
  const sessions = api.sessions();
  // The message of an unreachable node.
  if (sessions === undefined) throw internalErrorOf(`error dialing backend: no node ${node} runs`);
  return sessions;
}

function streamsOf({ query }: Call): CommandSession["streams"] {
  const hasTerminal = flag(query, "tty");
  const streams = {
    stdin: flag(query, "stdin"),
    stdout: flag(query, "stdout"),
    // A terminal has one output.
    stderr: flag(query, "stderr") && !hasTerminal,
  };
  if (!Object.values(streams).includes(true)) throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  return streams;
}
