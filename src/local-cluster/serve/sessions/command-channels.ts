import type { WebSocket } from "ws";
import type { CommandResult, CommandSession, RemoteCommand } from "../../api/pod-sessions.ts";
import { internalErrorOf } from "../../api/status.ts";
import { backlogBytes, limitBacklog } from "./backlog.ts";
import { type ChannelProtocol, decodeMessage, encodeMessage } from "./channel-protocol.ts";

/** Channels of messages. Source: Kubernetes' remote command protocol v4. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Version 5 only: the channel in the next byte is closed. */
const endOfChannel = 255;

/** A message from a client. */
type Message = NonNullable<ReturnType<typeof decodeMessage>>;

/** Connects a command with a client by channels. The last message is the command's outcome. */
export async function serveCommand(
  session: CommandSession,
  client: WebSocket,
  protocol: ChannelProtocol,
): Promise<void> {
  const { streams } = session;
  let command: RemoteCommand | undefined;
  let isClosed = false;
  const early: { readonly message: Message; readonly taken: () => void }[] = [];
  const addToBacklog = limitBacklog(client);
  const write = (chunk: Uint8Array) => command?.writeInput(chunk, addToBacklog(chunk));
  client.on("message", (data) => {
    const message = decodeMessage(protocol, data);
    if (message === undefined) return;
    if (command === undefined) early.push({ message, taken: addToBacklog(message.content) });
    else receive(message, { ...command, writeInput: write });
  });
  client.on("close", () => {
    isClosed = true;
    command?.hangUp();
  });
  const send = (channel: number, chunk: Uint8Array) =>
    new Promise<void>((resolve) => {
      if (client.readyState !== client.OPEN) resolve();
      else client.send(encodeMessage(protocol, channel, chunk), () => resolve());
    });
  // Kubernetes thus notifies the client that the connection is established.
  const firstOutput = streams.stdout ? channels.stdout : streams.stderr ? channels.stderr : channels.error;
  void send(firstOutput, new Uint8Array());
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
  const end = await outcome(result);
  if (protocol.hasStatus) await send(channels.error, Buffer.from(JSON.stringify(end)));
  else if (end.message !== undefined) await send(channels.error, Buffer.from(end.message));
  client.close(1000);
}

interface Receiver extends Pick<RemoteCommand, "endInput" | "resize"> {
  readonly writeInput: (chunk: Uint8Array) => void;
}

function receive({ channel, content }: Message, command: Receiver): void {
  switch (channel) {
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

async function outcome(
  result: CommandResult,
): Promise<{ readonly message?: string; readonly [field: string]: unknown }> {
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
