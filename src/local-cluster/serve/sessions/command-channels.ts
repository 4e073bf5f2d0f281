import type { RawData, WebSocket } from "ws";
import type { CommandResult, CommandSession, RemoteCommand } from "../../api/pod-sessions.ts";
import { internalErrorOf } from "../../api/status.ts";
import { backlogBytes, limitBacklog } from "./backlog.ts";

/** Channels, the first byte of each message. Source: Kubernetes' remote command protocol v4. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Version 5 only: the channel in the next byte is closed. */
const endOfChannel = 255;

/**
 * Connects a command with a client by channels, `v4.channel.k8s.io` or `v5.channel.k8s.io`. Each message begins with the number
 * of its channel. The last message is a Status with the command's outcome.
 */
export async function serveCommand(session: CommandSession, client: WebSocket): Promise<void> {
  const { streams } = session;
  let command: RemoteCommand | undefined;
  let isClosed = false;
  const early: { readonly message: Buffer; readonly taken: () => void }[] = [];
  const addToBacklog = limitBacklog(client);
  const write = (chunk: Uint8Array) => command?.writeInput(chunk, addToBacklog(chunk));
  client.on("message", (data) => {
    const message = bytesOf(data);
    if (command === undefined) early.push({ message, taken: addToBacklog(message) });
    else receive(message, { ...command, writeInput: write });
  });
  client.on("close", () => {
    isClosed = true;
    command?.hangUp();
  });
  const send = (channel: number, chunk: Uint8Array) =>
    new Promise<void>((resolve) => {
      if (client.readyState !== client.OPEN) resolve();
      else client.send(Buffer.concat([Buffer.from([channel]), chunk]), () => resolve());
    });
  const result = await session.start((stream, chunk) => {
    const sent = streams[stream] ? send(channels[stream], chunk) : undefined;
    return client.bufferedAmount > backlogBytes ? sent : undefined;
  });
  if ("command" in result) {
    command = result.command;
    for (const { message, taken } of early) {
      receive(message, { ...command, writeInput: write });
      taken();
    }
    if (isClosed) command.hangUp();
  }
  await send(channels.error, Buffer.from(JSON.stringify(await outcome(result))));
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

/** Parses a new terminal size: `{"Width":80,"Height":24}`. */
function resize(text: string, command: Receiver): void {
  const columns = /"width":\s*(\d+)/i.exec(text)?.[1];
  const rows = /"height":\s*(\d+)/i.exec(text)?.[1];
  if (columns !== undefined && rows !== undefined) command.resize({ columns: Number(columns), rows: Number(rows) });
}

async function outcome(result: CommandResult): Promise<object> {
  if ("failure" in result) return internalErrorOf(result.failure).status;
  const code = await result.command.exited;
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}
