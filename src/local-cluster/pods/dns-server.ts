import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import type { Host } from "../../host/host.ts";
import type { Store } from "../api/store.ts";
import { resolveQuestion } from "./dns-zone.ts";
import type { AddressOf } from "./endpoints.ts";
import {
  type DnsResult,
  formatQuery,
  formatResponse,
  parseAddresses,
  parseQuestion,
  type Question,
  recordTypes,
  responseCodes,
} from "./network/dns-message.ts";
import { connectDirectly, type PodNetwork } from "./network/pod-network.ts";
import { nameServers } from "./resolver-file.ts";

interface DnsOptions {
  readonly host: Pick<Host, "files" | "clock">;
  readonly network: Pick<PodNetwork, "listen" | "bind">;
  readonly store: Store;
  readonly addressOf: AddressOf;
  readonly apiAddress: string;
}

export const dnsPort = 53;

/** Time for each of this machine's name servers. */
const forwardTimeoutMs = 2000;

const maxDatagramBytes = 512;
const maxMessageBytes = 65_535;

/**
 * Starts the cluster's DNS server in the network of the pods. Questions about other names go to this machine's name servers.
 *
 * @returns a function that stops it; `undefined` if pods do not have their own network
 */
export async function startDnsServer(options: DnsOptions): Promise<(() => void) | undefined> {
  const { network, apiAddress } = options;
  if (network.bind === undefined || network.listen === undefined) return undefined;
  const [datagrams, server] = await Promise.all([
    network.bind(apiAddress, dnsPort),
    network.listen(apiAddress, dnsPort),
  ]);
  datagrams.on("message", (message, { address, port }) => {
    const reply = (response: Uint8Array) => datagrams.send(response, port, address, () => {});
    void respond(options, message, { maxBytes: maxDatagramBytes, forward: forwardDatagram }).then(reply, () => {});
  });
  datagrams.on("error", () => {});
  datagrams.unref();
  server.maxConnections = 256;
  server.on("connection", (socket) => serveConnection(options, socket));
  server.unref();
  return () => close(datagrams, server);
}

function close(datagrams: DatagramSocket, server: Server): void {
  datagrams.close();
  server.close();
}

interface Response {
  readonly maxBytes: number;
  readonly forward: (options: DnsOptions, message: Uint8Array, server: string) => Promise<Uint8Array>;
}

/** Responds to a message. Rejects for a malformed one, which gets no response. */
async function respond(options: DnsOptions, message: Uint8Array, { maxBytes, forward }: Response): Promise<Uint8Array> {
  const question = parseQuestion(message);
  if (question === undefined) throw new Error("malformed");
  const fail = (code: number) => formatResponse(question, { code, records: [] }, maxBytes);
  if (question.operation !== 0) return fail(responseCodes.notImplemented);
  const result = resolveQuestion(options, question);
  if (result !== undefined) {
    const complete = await withTarget(options, forward, { question, result });
    return formatResponse(question, complete, maxBytes);
  }
  return (await queryMachine(options, forward, message)) ?? fail(responseCodes.serverFailure);
}

/** Forwards a message to this machine's name servers, one after the other; `undefined` if none responds. */
async function queryMachine(
  options: DnsOptions,
  forward: Response["forward"],
  message: Uint8Array,
): Promise<Uint8Array | undefined> {
  for (const server of nameServers(options.host.files)) {
    try {
      return await forward(options, message, server);
    } catch {
      // Query the next one.
    }
  }
  return undefined;
}

/** Aliases that are followed, one after the other. */
const maxAliases = 8;

/** Adds the addresses of the name that an alias names, because resolvers of C libraries do not query them. */
async function withTarget(
  options: DnsOptions,
  forward: Response["forward"],
  { question, result }: { readonly question: Question; readonly result: DnsResult },
): Promise<DnsResult> {
  const { id, type } = question;
  const records = [...result.records];
  for (let count = 0; count < maxAliases; count += 1) {
    const alias = records.at(-1);
    if (alias?.type !== "CNAME" || type !== recordTypes.A) break;
    const own = resolveQuestion(options, { name: alias.target, type });
    if (own === undefined) {
      const response = await queryMachine(options, forward, formatQuery({ id, name: alias.target, type }));
      records.push(...parseAddresses(response ?? new Uint8Array()));
      break;
    }
    records.push(...own.records);
  }
  return { ...result, records };
}

function forwardDatagram({ host }: DnsOptions, message: Uint8Array, server: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(server.includes(":") ? "udp6" : "udp4");
    const end = () => {
      cancel();
      socket.close();
    };
    const fail = (error: Error) => {
      end();
      reject(error);
    };
    const cancel = host.clock.after(forwardTimeoutMs, () => fail(new Error("timeout")));
    socket.on("error", fail);
    socket.on("message", (response) => {
      // Only a response to this question: its first two bytes are the question's ID.
      if (response[0] !== message[0] || response[1] !== message[1]) return;
      end();
      resolve(response);
    });
    socket.connect(dnsPort, server, () => socket.send(message));
  });
}

async function forwardByTcp({ host }: DnsOptions, message: Uint8Array, server: string): Promise<Uint8Array> {
  const socket = await connectDirectly(server, dnsPort);
  return new Promise((resolve, reject) => {
    const fail = () => {
      cancel();
      socket.destroy();
      reject(new Error("no response"));
    };
    const cancel = host.clock.after(forwardTimeoutMs, fail);
    socket.on("error", fail);
    socket.on("close", fail);
    onMessages(socket, (response) => {
      cancel();
      resolve(response);
      socket.destroy();
    });
    socket.write(withLength(message));
  });
}

function serveConnection(options: DnsOptions, socket: Socket): void {
  socket.on("error", () => socket.destroy());
  socket.setTimeout(10_000, () => socket.destroy());
  onMessages(socket, (message) => {
    respond(options, message, { maxBytes: maxMessageBytes, forward: forwardByTcp }).then(
      (response) => socket.write(withLength(response)),
      () => socket.destroy(),
    );
  });
}

/** Calls the listener with each message, which two bytes with its length precede. */
function onMessages(socket: Socket, listener: (message: Uint8Array) => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const length = received.readUInt16BE(0);
      listener(received.subarray(2, 2 + length));
      received = received.subarray(2 + length);
    }
  });
}

function withLength(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
