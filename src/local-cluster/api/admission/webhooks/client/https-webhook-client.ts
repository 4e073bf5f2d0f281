import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { isIP } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectByTls } from "node:tls";
import type { Clock } from "../../../../../host/host.ts";
import { pemCertificates } from "../../../../../net/pem-certificates.ts";
import type { WebhookAddress, WebhookService } from "../../../webhook.ts";
import { type WebhookCall, WebhookCallError, type WebhookClient } from "../../../webhook-client.ts";
import { isSignedByOneOf, takenForSelfSigned } from "./certificate-signature.ts";
import { callFailure, responseFailure } from "./failure-text.ts";
import { connectTo, connectToService, type ServiceConnector } from "./service-connection.ts";

interface ClientOptions extends ServiceConnector {
  readonly clock: Pick<Clock, "after" | "now">;
  /** @default 8 MiB: more than a patch of the largest object */
  readonly maxResponseBytes?: number;
}

/** Maximum number of addresses whose connections are kept open. Source: Kubernetes 1.35, ClientManager's cache. */
const maxAgents = 200;

/** Time after which an idle connection is closed. */
const idleTimeoutMs = 90_000;

/** Failures of a connection that the server has closed. */
const staleCodes: readonly unknown[] = ["ECONNRESET", "EPIPE"];

const defaultMaxResponseBytes = 8 * 1024 * 1024;

/** Creates a client that calls webhooks over HTTPS and keeps its connections open. */
export function createWebhookClient(options: ClientOptions): WebhookClient {
  const agents = new Map<string, Agent>();
  return {
    async send(call) {
      const agent = agentFor(agents, call.address, options);
      return await send(options, call, agent);
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Returns the connections to an address. @throws Error if its caBundle has no certificate */
function agentFor(agents: Map<string, Agent>, address: WebhookAddress, connector: ClientOptions): Agent {
  const key = JSON.stringify(address);
  const known = agents.get(key);
  if (known !== undefined) {
    // The map's order is that of the last use.
    agents.delete(key);
    agents.set(key, known);
    return known;
  }
  const created = createAgent(address, connector);
  agents.set(key, created);
  const [oldest] = agents.keys();
  if (agents.size > maxAgents && oldest !== undefined) {
    agents.get(oldest)?.destroy();
    agents.delete(oldest);
  }
  return created;
}

function createAgent(address: WebhookAddress, connector: ClientOptions): Agent {
  const { service, url = "", caBundle = "" } = address;
  const ca = caBundle === "" ? undefined : authorities(caBundle);
  const { hostname, port } = new URL(url === "" ? "https://service" : url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new WebhookAgent({
    ...{ authorities: ca, clock: connector.clock, servername: service === undefined ? host : hostOf(service) },
    open: () =>
      service === undefined ? connectTo({ host, port: Number(port || 443) }) : connectToService(connector, service),
  });
}

/** Returns the certificates of a caBundle as PEM. @throws Error if it has none */
function authorities(caBundle: string): string[] {
  const certificates = pemCertificates(Buffer.from(caBundle, "base64").toString("latin1")).filter(isCertificate);
  if (certificates.length > 0) return certificates;
  throw new Error("could not get REST client: unable to load root certificates: unable to parse bytes as PEM block");
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

interface WebhookTarget {
  /** Opens a connection without TLS. */
  readonly open: () => Promise<Duplex>;
  readonly servername: string;
  /** Certificates as PEM. @default those of the system */
  readonly authorities: readonly string[] | undefined;
  readonly clock: Pick<Clock, "now">;
}

/** Connections by TLS to a URL, or to the pods behind a service. */
class WebhookAgent extends Agent {
  readonly #target: WebhookTarget;

  constructor(target: WebhookTarget) {
    super({ keepAlive: true, timeout: idleTimeoutMs });
    this.#target = target;
  }

  override createConnection(_: unknown, onCreated?: (error: Error | null, stream: Duplex) => void): undefined {
    void this.#connect().then(
      (stream) => onCreated?.(null, stream),
      // Node ignores the stream of a failed connection, which its type requires.
      (error: Error) => onCreated?.(error, new Duplex()),
    );
  }

  async #connect(): Promise<Duplex> {
    const { open, servername, authorities, clock } = this.#target;
    const socket = await open();
    const ca = authorities === undefined ? {} : { ca: [...authorities] };
    const name = isIP(servername) === 0 ? { servername } : { host: servername };
    const secured = connectByTls({ socket, ...name, ...ca, rejectUnauthorized: false });
    // The connection to a pod may stay open in one direction after the server has closed it.
    secured.once("end", () => secured.destroy());
    await once(secured, "secureConnect");
    const problem = secured.authorized ? undefined : String(secured.authorizationError);
    const certificate = secured.getPeerX509Certificate();
    if (problem === undefined) return secured;
    if (problem === takenForSelfSigned && certificate !== undefined) {
      if (isSignedByOneOf(authorities ?? [], { certificate, servername, now: clock.now() })) return secured;
    }
    secured.destroy();
    throw Object.assign(new Error(problem), { code: problem });
  }
}

function hostOf({ name, namespace }: WebhookService): string {
  return `${name}.${namespace}.svc`;
}

function urlOf({ url, service }: WebhookAddress, timeoutMs: number): URL {
  const { path = "", port = 443 } = service ?? {};
  const base = service === undefined ? (url ?? "") : `https://${hostOf(service)}:${port}${path}`;
  const result = new URL(base);
  // Kubernetes rounds up to whole seconds.
  result.search = `timeout=${Math.ceil(timeoutMs / 1000)}s`;
  return result;
}

/** Shows a URL with the port that Kubernetes adds for services. */
function shownUrl({ service }: WebhookAddress, url: URL): string {
  if (service === undefined || url.port !== "") return url.href;
  return `https://${url.hostname}:443${url.pathname}${url.search}`;
}

async function send(options: ClientOptions, call: WebhookCall, agent: Agent): Promise<string> {
  const url = urlOf(call.address, call.timeoutMs);
  const result = await attempt(options, call, { agent, url });
  // The server closed an idle connection just when it was used again.
  const last = result.type === "stale" ? await attempt(options, call, { agent, url }) : result;
  if (last.type === "response") {
    const failure = responseFailure(last);
    if (failure === undefined) return last.text;
    throw new WebhookCallError(failure);
  }
  throw new WebhookCallError(`Post ${JSON.stringify(shownUrl(call.address, url))}: ${callFailure(last.error, url)}`);
}

type Attempt =
  | {
      readonly type: "response";
      readonly status: number;
      readonly contentType: string | undefined;
      readonly text: string;
    }
  | { readonly type: "failure" | "stale"; readonly error: unknown };

/** Sends a review once. Never rejects. */
function attempt(
  { clock, maxResponseBytes = defaultMaxResponseBytes }: ClientOptions,
  { review, timeoutMs, signal }: WebhookCall,
  { agent, url }: { readonly agent: Agent; readonly url: URL },
): Promise<Attempt> {
  return new Promise((resolve) => {
    const body = Buffer.from(review);
    const headers = {
      accept: "application/json, */*",
      "content-type": "application/json",
      "content-length": body.length,
      "user-agent": "kube-apiserver-admission",
    };
    const sent = request(url, { agent, method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxResponseBytes) fail(new Error(`the response is larger than ${maxResponseBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const contentType = response.headers["content-type"];
        finish({ type: "response", status: response.statusCode ?? 0, contentType, text });
      });
    });
    const onAbort = () => fail(new Error("context canceled"));
    const cancelTimeout = clock.after(timeoutMs, () => fail(new Error("context deadline exceeded")));
    signal?.addEventListener("abort", onAbort, { once: true });
    sent.on("error", (error) => {
      if (sent.reusedSocket && "code" in error && staleCodes.includes(error.code)) finish({ type: "stale", error });
      else fail(error);
    });
    sent.end(body);

    function finish(result: Attempt): void {
      cancelTimeout();
      signal?.removeEventListener("abort", onAbort);
      resolve(result);
    }

    function fail(error: Error): void {
      finish({ type: "failure", error });
      sent.destroy();
    }
  });
}
