import { Buffer } from "node:buffer";
import type { RawData } from "ws";

/** Encoding of messages, and contents that differ between versions. */
export interface ChannelProtocol {
  /** Base64 messages are text: the channel as a digit, then the content in base64. Others begin with the channel as a byte. */
  readonly isBase64: boolean;
  /** Whether the outcome of a command is a Status. Older protocols send the message of a failure, and nothing else. */
  readonly hasStatus: boolean;
}

/** Protocol without a name, which clients use that offer none. */
export const unnamed = "";

/**
 * Protocols of commands in the order of their versions; those of ports are the unnamed one and version 4.
 *
 * Source: Kubernetes 1.35, kubelet/pkg/cri/streaming/remotecommand/websocket.go and portforward/websocket.go.
 */
const named: Readonly<Record<string, ChannelProtocol>> = {
  [unnamed]: { isBase64: false, hasStatus: false },
  "channel.k8s.io": { isBase64: false, hasStatus: false },
  "base64.channel.k8s.io": { isBase64: true, hasStatus: false },
  "v4.channel.k8s.io": { isBase64: false, hasStatus: true },
  "v4.base64.channel.k8s.io": { isBase64: true, hasStatus: true },
  "v5.channel.k8s.io": { isBase64: false, hasStatus: true },
};

/** Returns the protocol of a name that `serveSession` accepts. */
export function channelProtocol(name: string): ChannelProtocol {
  return named[name] ?? { isBase64: false, hasStatus: true };
}

/** Encodes a message, as text or bytes. */
export function encodeMessage({ isBase64 }: ChannelProtocol, channel: number, content: Uint8Array): string | Buffer {
  if (isBase64) return `${channel}${Buffer.from(content).toString("base64")}`;
  return Buffer.concat([Buffer.from([channel]), content]);
}

/** Decodes a message: its channel and content; `undefined` for an empty or malformed one. */
export function decodeMessage(
  { isBase64 }: ChannelProtocol,
  data: RawData,
): { readonly channel: number; readonly content: Buffer } | undefined {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  const [first] = bytes;
  if (first === undefined) return undefined;
  if (!isBase64) return { channel: first, content: bytes.subarray(1) };
  const text = bytes.toString("latin1", 1);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return { channel: first - "0".charCodeAt(0), content: Buffer.from(text, "base64") };
}
