import { lookup } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import * as tls from "node:tls";
import type { Clock } from "../host/host.ts";
import { machineName } from "../host/machine-name.ts";
import { tunnel } from "./proxy/tunnel.ts";

/** Agents that open the connections of requests. */
export interface HttpAgents {
  readonly agents: { readonly plain: http.Agent; readonly secure: https.Agent };
  /** Proxy that receives unencrypted requests itself, instead of forwarding bytes. */
  readonly forwarding?: URL | undefined;
  /** Closes open connections and aborts those that are being opened. */
  readonly close: () => void;
}

/** Options of all connections. */
export interface HttpAgentOptions {
  readonly clock: Clock;
  /** PEM. @default the system's */
  readonly authority?: string | undefined;
  /** Maximum number of connections to one server. @default one per concurrent request */
  readonly maxConnections?: number | undefined;
}

/** Creates agents that connect directly, or with `connect`. */
export function directAgents(options: HttpAgentOptions, connect?: () => Duplex | Promise<Duplex>): HttpAgents {
  // Node can keep only sockets alive, not other streams.
  const agents = newAgents(options, { isKept: connect === undefined });
  if (connect !== undefined) setOpening(agents, async () => connect());
  return { agents, close: () => destroyAll(agents) };
}

const connectionTimeoutMs = 30_000;

/** Creates agents that connect through a proxy. Source: RFC 9112, 3.2.2 (absolute-form); RFC 9110, 9.3.6 (CONNECT). */
export function proxyAgents(options: HttpAgentOptions, proxy: URL): HttpAgents {
  const { clock } = options;
  const agents = newAgents(options, { isKept: true });
  const openTunnels = new Set<() => void>();
  const open = async (server: URL) => {
    const start = await tunnel({ server, connectionTimeoutMs, clock }, proxy);
    return new Promise<Duplex>((resolve, reject) => {
      const abort = start(
        (socket) => {
          openTunnels.delete(abort);
          resolve(socket);
        },
        (error) => {
          openTunnels.delete(abort);
          reject(error);
        },
      );
      openTunnels.add(abort);
    });
  };
  const forwards = proxy.protocol === "http:";
  setOpening(forwards ? { secure: agents.secure } : agents, open);
  return {
    agents,
    forwarding: forwards ? proxy : undefined,
    close() {
      for (const end of openTunnels) end();
      destroyAll(agents);
    },
  };
}

function newAgents(
  { authority, maxConnections }: HttpAgentOptions,
  { isKept }: { readonly isKept: boolean },
): HttpAgents["agents"] {
  const options = {
    keepAlive: isKept,
    lookup: lookupHere,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(maxConnections === undefined ? {} : { maxSockets: maxConnections }),
  };
  return { plain: new http.Agent(options), secure: new https.Agent(options) };
}

/**
 * Resolves names as the system does. A URL in the settings of a job must mean the same server here and in its pods, whose hosts file has
 * the name of this machine.
 */
const lookupHere: LookupFunction = (name, options, callback) =>
  lookup(name, options, (error, address, family) => {
    if (error !== null && name === machineName) lookup("127.0.0.1", options, callback);
    else callback(error, address, family);
  });

interface Target {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
}

/** Callback of Node's agents. */
type Opened = (error: Error | null, stream?: Duplex) => void;

function setOpening({ plain, secure }: Partial<HttpAgents["agents"]>, open: (server: URL) => Promise<Duplex>): void {
  const openTo = (scheme: string, { host = "", port = "" }: Target) =>
    open(new URL(`${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`));
  if (plain !== undefined)
    Object.assign(plain, {
      createConnection: (target: Target, opened: Opened) =>
        void openTo("http", target).then((stream) => opened(null, stream), opened),
    });
  if (secure !== undefined)
    Object.assign(secure, {
      createConnection: (options: tls.ConnectionOptions, opened: Opened) =>
        void openTo("https", { host: options.host, port: options.port }).then(
          (socket) => opened(null, tls.connect({ ...options, socket })),
          opened,
        ),
    });
}

function destroyAll({ plain, secure }: HttpAgents["agents"]): void {
  for (const agent of [plain, secure]) agent.destroy();
}
