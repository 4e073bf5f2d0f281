import type { RawData, WebSocket } from "ws";
import type { CommandResult, CommandSession, RemoteCommand } from "../../api/pod-sessions.ts";
import { internalErrorOf } from "../../api/status.ts";
import { backlogBytes } from "./backlog.ts";

/** The first byte of each message. Source: Kubernetes' remote command protocol v4. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Version 5 alone: the channel in the next byte is at its end. */
const endOfChannel = 255;

/**
 * Connects a command with a client by channels, `v4.channel.k8s.io` or `v5.channel.k8s.io`: each message begins with the
 * number of its channel. How the command ended is told last, as a Status.
 */
export async function serveCommand(session: CommandSession, client: WebSocket): Promise<void> {
  const { streams } = session;
  let command: RemoteCommand | undefined;
  let isGone = false;
  const early: Buffer[] = [];
  let waitingBytes = 0;
  const write = (chunk: Uint8Array) => {
    waitingBytes += chunk.length;
    if (waitingBytes > backlogBytes) client.pause();
    command?.writeInput(chunk, () => {
      waitingBytes -= chunk.length;
      if (waitingBytes <= backlogBytes) client.resume();
    });
  };
  client.on("message", (data) => {
    const message = bytesOf(data);
    if (command === undefined) early.push(message);
    else receive(message, { ...command, writeInput: write });
  });
  client.on("close", () => {
    isGone = true;
    command?.hangUp();
  });
  const send = (channel: number, chunk: Uint8Array) =>
    new Promise<void>((resolve) => {
      if (client.readyState !== client.OPEN) resolve();
      else client.send(Buffer.concat([Buffer.from([channel]), chunk]), () => resolve());
    });
  const answer = await session.start((stream, chunk) => {
    const sent = streams[stream] ? send(channels[stream], chunk) : undefined;
    return client.bufferedAmount > backlogBytes ? sent : undefined;
  });
  if ("command" in answer) {
    command = answer.command;
    for (const message of early) receive(message, { ...command, writeInput: write });
    if (isGone) command.hangUp();
  }
  await send(channels.error, Buffer.from(JSON.stringify(await outcome(answer))));
  client.close(1000);
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

interface Receiver extends Pick<RemoteCommand, "endInput" | "resize"> {
  readonly writeInput: (chunk: Uint8Array) => void;
}

function receive(message: Buffer, command: Receiver): void {
  const content = message.subarray(1);
  switch (message[0]) {
    case channels.stdin:
      command.writeInput(content);
      break;
    case channels.resize:
      resize(content.toString("utf8"), command);
      break;
    case endOfChannel:
      if (content[0] === channels.stdin) command.endInput();
      break;
    default:
      break;
  }
}

/** `{"Width":80,"Height":24}` */
function resize(text: string, command: Receiver): void {
  const columns = /"width":\s*(\d+)/i.exec(text)?.[1];
  const rows = /"height":\s*(\d+)/i.exec(text)?.[1];
  if (columns !== undefined && rows !== undefined)
    command.resize({ columns: Number(columns), rows: Number(rows) });
}

async function outcome(answer: CommandResult): Promise<object> {
  if ("failure" in answer) return internalErrorOf(answer.failure).status;
  const code = await answer.command.exited;
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}
