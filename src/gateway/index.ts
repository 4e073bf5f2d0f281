import { messageOf, submitError } from "../errors/submit-error.ts";
import { type HttpServer, openHttpServer, type ServeOptions } from "../http/serve.ts";
import { serverLog } from "../http/server-log.ts";
import { startReload } from "../http/tls/start-reload.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { type Authenticate, type Authorize, withoutAuthentication } from "./http/authenticate.ts";
import type { HttpProtocol } from "./http/gateway-request.ts";
import { publicUrl } from "./http/public-url.ts";
import { requestLimits } from "./http/request-limits.ts";
import { type GatewayServerCall, gatewayListener } from "./http/serve-gateway.ts";
import { servicePaths, serviceProtocol, unknownPaths, waitingProtocol } from "./http/service-protocol.ts";
import { type Leadership, leadByLease } from "./leader/lead-by-lease.ts";
import { whileLeading } from "./leader/while-leading.ts";
import { loopback } from "./loopback.ts";
import { type OpenProtocols, openProtocols, type ProtocolsCall } from "./open-protocols.ts";
import { openDatabaseStores } from "./records/database/database-stores.ts";
import { secretStores } from "./records/secret-stores.ts";
import { tlsSource } from "./tls-settings.ts";
import { openTracing } from "./tracing/open-tracing.ts";

/** A running gateway. */
export interface Gateway {
  readonly port: number;
  /** Port of the standalone protocol, if it has one. */
  readonly restPort: number | undefined;
  /** Port of the Spark UIs, if they have one. */
  readonly uiPort: number | undefined;
  /** Port of the metrics, if they have one. */
  readonly metricsPort: number | undefined;
  /** Resolves when the gateway cannot continue: another one leads, or the records cannot be read. Its log has the reason. */
  readonly failed: Promise<void>;
  /** Accepts no new requests, and waits for running ones and for submissions. Drivers continue. */
  readonly stop: () => Promise<void>;
}

/** Dependencies of a gateway. */
export interface GatewayCall extends ProtocolsCall {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** Pages with which browsers log in. @default none */
  readonly login?: HttpProtocol | undefined;
}

type Endpoint = Pick<ServeOptions, "address" | "port" | "tls" | "limits"> & Partial<Pick<ServeOptions, "healthPaths">>;
type Listener = Omit<GatewayServerCall, "clock" | "log" | "maxBodyBytes" | "onResponse">;

/** Access to a port of its own that clients use without authentication. */
const unprotected = { authenticate: withoutAuthentication, prefix: "", fallback: () => unknownPaths };

/** Delays between checks for records that were stored late. Most requests arrive soon, but a suspended machine can send later. */
const lateRecordsMs = { first: 15_000, max: 600_000 };

/**
 * Starts a gateway. If several share its name, it serves applications when it leads them, and health checks before.
 *
 * @throws SubmitError `SUBMIT_ERR_GATEWAY_START`, `SUBMIT_ERR_GATEWAY_STORE`, and if the records cannot be read
 */
export async function openGateway(call: GatewayCall): Promise<Gateway> {
  const { host, settings, authenticate, authorize, login } = call;
  const {
    limits,
    standalone: { listener },
  } = settings;
  const log = serverLog(host);
  const tracing = await openTracing(host, log);
  const ending = new AbortController();
  const onUnreadable = (record: string, reason: string) =>
    log("ERROR", "A record cannot be read, and is ignored.", { record, reason });
  const { storeDirectory, ownNamespace, name } = settings;
  const location = { host, namespace: ownNamespace, gateway: name, onUnreadable };
  let stores =
    storeDirectory === undefined
      ? undefined
      : await openDatabaseStores({ ...location, client: call.client, master: call.master, directory: storeDirectory });
  let opened: OpenProtocols | undefined;
  let leadership: Leadership | undefined;
  /** Returns the protocols while this gateway leads. */
  const serving = () => (leadership?.isLeading() === false ? undefined : opened);
  const unreadyReasons = () => [
    ...(ending.signal.aborted ? ["The gateway is stopping."] : []),
    ...(serving() === undefined ? ["Another gateway serves the applications."] : []),
    ...(opened?.isSynced() === false ? ["The pods of the cluster are not known yet."] : []),
  ];
  const service = serviceProtocol({ unreadyReasons, metrics: async () => opened?.metrics.print() });
  const onResponse: OpenProtocols["metrics"]["onResponse"] = (...response) => opened?.metrics.onResponse(...response);
  const isOpen = settings.authentication.kind === "none";
  /** Returns the names that clients may use; `undefined` for all, where a page of another origin has no credentials. */
  const hostNamesAt = (address: string, isUnprotected: boolean) =>
    isUnprotected && loopback.test(address) ? settings.allowedHosts : undefined;
  const onOverload = (count: number) =>
    log("WARN", "All connections are in use, so the gateway closes or rejects some.", { count });
  const servers: HttpServer[] = [];
  const listen = async (endpoint: Endpoint, listener: Listener): Promise<HttpServer> => {
    const common = { clock: host.clock, log, maxBodyBytes: limits.maxBodyBytes, onResponse };
    const respond = gatewayListener({ ...common, ...listener });
    const server = await openHttpServer({ healthPaths: [], ...endpoint, clock: host.clock, onOverload, respond });
    servers.push(server);
    return server;
  };
  const ports = { gateway: settings.port, ui: settings.ui?.port ?? 0 };
  const tls = settings.tls === undefined ? undefined : tlsSource(host.files, settings.tls);
  let stopReload = () => {};
  const close = async (drainMs: number) => {
    ending.abort();
    stopReload();
    await Promise.all(servers.map((server) => server.close(drainMs)));
    await opened?.close();
    await stores?.close();
    await leadership?.release().catch((error: unknown) => {
      log("WARN", "The lease of the gateway cannot be released.", { reason: messageOf(error) });
    });
    await tracing.close();
  };
  const start = async (client: KubeClient) => {
    stores ??= secretStores({ ...location, client });
    opened = await openProtocols({ ...call, client, ports, tracing, stores, signal: ending.signal }, log);
    log("INFO", "The gateway serves applications.", { master: call.master });
  };
  try {
    if (!settings.isElected) await start(call.client);
    const secure = tls?.read();
    const server = await listen(
      {
        ...{ address: settings.address, port: settings.port, tls: secure },
        limits: { maxConnections: limits.maxConnections },
        healthPaths: servicePaths.map((path) => `${settings.prefix}${path}`),
      },
      {
        ...{ admit: requestLimits(host.clock, limits), hostNames: hostNamesAt(settings.address, isOpen) },
        ...{ tracing, authenticate, authorize, prefix: settings.prefix, ownHosts: publicUrl(settings).hosts },
        protocols: () => [
          service,
          ...(login === undefined ? [] : [login]),
          ...(serving()?.protocols ?? [waitingProtocol]),
        ],
        fallback: () => unknownPaths,
      },
    );
    ports.gateway = server.port;
    const secured = [server];
    if (settings.ui !== undefined) {
      const endpoint = { address: settings.address, port: settings.ui.port, tls: secure };
      // Without traces: the paths contain tickets.
      const uiServer = await listen(endpoint, {
        ...unprotected,
        protocols: () => serving()?.uiPages ?? [waitingProtocol],
      });
      ports.ui = uiServer.port;
      secured.push(uiServer);
    }
    if (tls !== undefined) stopReload = startReload({ host, log, tls, servers: secured });
    const rest =
      listener &&
      (await listen(listener, {
        ...unprotected,
        ...{ hostNames: hostNamesAt(listener.address, settings.standalone.tokenKey === undefined), tracing },
        ...{ protocols: () => [], fallback: () => serving()?.standalone ?? waitingProtocol },
      }));
    const metrics =
      settings.metricsPort === undefined
        ? undefined
        : await listen(
            { address: settings.address, port: settings.metricsPort },
            { ...unprotected, hostNames: hostNamesAt(settings.address, true), protocols: () => [service] },
          );
    const { port } = server;
    const otherPorts = {
      restPort: rest?.port,
      uiPort: settings.ui === undefined ? undefined : ports.ui,
      metricsPort: metrics?.port,
    };
    log("INFO", "The gateway has started.", { port, ...otherPorts });
    return {
      ...{ port, ...otherPorts, failed: settings.isElected ? lead() : new Promise(() => {}) },
      async stop() {
        await close(limits.drainMs);
        log("INFO", "The gateway has stopped.");
      },
    };
  } catch (error) {
    await close(0);
    throw submitError("SUBMIT_ERR_GATEWAY_START", { reason: messageOf(error) }, { cause: error });
  }

  /** Removes what earlier leaders have stored since this one has read the records: their clients do not know it. */
  async function removeLateRecords({ isLeading }: Leadership): Promise<void> {
    const { first, max } = lateRecordsMs;
    for (let delayMs = first; ; delayMs = Math.min(delayMs * 2, max)) {
      await host.clock.sleep(delayMs, { signal: ending.signal, background: true });
      if (ending.signal.aborted || !isLeading()) return;
      try {
        const keys = await stores?.removeLate();
        for (const key of keys ?? []) log("INFO", "A record that was stored late is removed.", { key });
      } catch (error) {
        log("WARN", "Records that were stored late cannot be removed.", { reason: messageOf(error) });
      }
    }
  }

  /** Serves when this gateway leads; resolves when it can no longer. */
  async function lead(): Promise<void> {
    leadership = await leadByLease(
      {
        ...{ client: call.client.withoutRetries(), clock: host.clock, log, signal: ending.signal },
        ...{ namespace: settings.ownNamespace, name: settings.name },
        holder: holderOf(host),
      },
      (holder) => log("INFO", "Another gateway serves the applications.", { holder }),
    );
    if (leadership === undefined) return new Promise<void>(() => {});
    try {
      await start(whileLeading(call.client, leadership.isLeading));
      void removeLateRecords(leadership);
      await leadership.lost;
      log("ERROR", "Another gateway can lead now, so this one ends.");
    } catch (error) {
      log("ERROR", "The gateway cannot serve applications.", { reason: messageOf(error) });
    }
  }
}

/** Returns a unique name of this process. The name of a pod is unique, and a container that is restarted in it can continue at once. */
function holderOf({ env, random }: GatewayCall["host"]): string {
  const { HOSTNAME: name = "gateway", KUBERNETES_SERVICE_HOST: inCluster } = env;
  return inCluster === undefined ? `${name}_${random.uuid()}` : name;
}
