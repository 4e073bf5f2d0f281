import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { abortSignalOf } from "../../src/errors/stop-signal.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import type { ApiRequest, Transport } from "../../src/kube/transport.ts";
import { type EmbeddedCluster, startCluster } from "../../src/local-cluster/index.ts";

/** An API server that the contract tests run against. */
export interface Target {
  readonly name: string;
  /** Transport with the administrator's permissions. */
  readonly open: () => Promise<OpenTarget>;
}

export interface OpenTarget {
  readonly transport: Transport;
  /** The same server with another user's token. */
  readonly as: (token: string | undefined) => Transport;
  readonly close: () => Promise<void>;
}

/** Lists the embedded API without and with a socket, and the API of a kubeconfig if one is specified. */
export function targets(kubeconfig = process.env["FIRESTEEL_CONTRACT_KUBECONFIG"]): readonly Target[] {
  const embedded = [
    {
      name: "the embedded API in this process",
      open: () => openEmbedded(({ transport }) => withToken(transport)),
    },
    {
      name: "the embedded API over HTTPS",
      open: () => openEmbedded((cluster) => byKubeconfig(cluster.kubeconfig)),
    },
  ];
  if (kubeconfig === undefined) return embedded;
  return [...embedded, { name: "the API of the kubeconfig", open: async () => openKubeconfig(kubeconfig) }];
}

/** Opens the cluster of a kubeconfig's first entries. */
export function openKubeconfig(path: string): OpenTarget {
  const { as, close } = byKubeconfig(readFileSync(path, "utf8"));
  return { transport: as("admin"), as, close: async () => close() };
}

/** Returns the transport of a token's owner; without a token, of the anonymous user. */
type As = (token: string | undefined) => Transport;

interface HttpAgents {
  readonly as: As;
  readonly close: () => void;
}

async function openEmbedded(openTransport: (cluster: EmbeddedCluster) => HttpAgents): Promise<OpenTarget> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-contract-"));
  const cluster = await startCluster(nodeHost(), {
    ...{ directory, apiOnly: true, sandbox: "fake", sparkHomes: [], javaHome: undefined },
  });
  const { as, close } = openTransport(cluster);
  return {
    transport: as("admin"),
    as,
    async close() {
      close();
      await cluster.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The in-memory transport adds the administrator's token; other users require a socket. */
function withToken(transport: Transport): HttpAgents {
  return { as: () => transport, close: () => {} };
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly "certificate-authority-data"?: string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly token?: string;
      readonly "client-certificate-data"?: string;
      readonly "client-key-data"?: string;
    };
  }[];
}

function parseKubeconfig(text: string): Kubeconfig {
  return JSON.parse(JSON.stringify(load(text)));
}

function byKubeconfig(text: string): HttpAgents {
  const { clusters, users } = parseKubeconfig(text);
  const server = new URL(clusters[0]?.cluster.server ?? "");
  const ca = pem(clusters[0]?.cluster["certificate-authority-data"]);
  const user = users[0]?.user ?? {};
  const cert = pem(user["client-certificate-data"]);
  const key = pem(user["client-key-data"]);
  const trusted = ca === undefined ? {} : { ca };
  const administrators = new Agent({ keepAlive: true, ...trusted, ...(cert && key ? { cert, key } : {}) });
  const others = new Agent({ keepAlive: true, ...trusted });
  return {
    as: (token) =>
      token === "admin"
        ? send({ server, agent: administrators, token: user.token })
        : send({ server, agent: others, token }),
    close() {
      administrators.destroy();
      others.destroy();
    },
  };
}

function pem(data: string | undefined): string | undefined {
  return data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
}

function send({ server, agent, token }: { server: URL; agent: Agent; token: string | undefined }): Transport {
  return ({ method, path, headers, body, signal }: ApiRequest) =>
    new Promise((resolve, reject) => {
      const all = { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const options = {
        method,
        agent,
        headers: { ...all, ...length },
        ...(signal === undefined ? {} : { signal: abortSignalOf(signal) }),
      };
      const sending = request(new URL(path, server), options, (response) => {
        const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(flat), body: response });
      });
      sending.on("error", reject);
      sending.end(body);
    });
}
