import type { Host } from "../host/host.ts";
import { openHttpServer } from "../http/serve.ts";
import { limitLog, serverLog } from "../http/server-log.ts";
import { startReload } from "../http/tls/start-reload.ts";
import { stagingApi } from "./api/api.ts";
import { startCleaner } from "./cleaner/start-cleaner.ts";
import type { ServerHealth } from "./context/health.ts";
import { stagingMetrics } from "./context/metrics.ts";
import type { StagingServerOptions } from "./context/options.ts";
import { recordChanges } from "./context/record-changes.ts";
import type { ServerScope } from "./context/scope.ts";
import { byteBudget } from "./store/byte-budget.ts";
import { openSigningKeys } from "./store/signing-keys.ts";

/** A running staging server. */
export interface StagingServer {
  readonly port: number;
  /** Rejects new requests and waits for running ones, for `drainMs` at most. */
  readonly stop: () => Promise<void>;
}

const jsonMemoryBytes = 32 * 1024 * 1024;

/** Starts the server. @throws Node's errors for the store, the certificate and the port */
export async function startStagingServer(host: Host, options: StagingServerOptions): Promise<StagingServer> {
  const { store, leader } = options;
  const log = serverLog(host);
  const keys =
    options.keys === undefined
      ? await store.ownKeys()
      : openSigningKeys(host, { directory: options.keys, isOwn: false });
  const health: ServerHealth = { isStopping: false, unknownOwners: new Map() };
  const scope: ServerScope = {
    ...{ host, options, store, keys, log, leader },
    changes: recordChanges(store.bundles),
    limitedLog: limitLog(log, host.clock),
    metrics: stagingMetrics(store, health),
    bodies: byteBudget(host.clock, jsonMemoryBytes),
    health,
  };
  const { address, port, tls } = options;
  const http = await openHttpServer({
    ...{ address, port, clock: host.clock, respond: stagingApi(scope) },
    healthPaths: ["/healthz", "/readyz", "/metrics"],
    onOverload: (count) => log("WARN", "All connections are in use, so the server closes or rejects some.", { count }),
    tls: tls?.read(),
  });
  const stopCleaner = startCleaner(scope);
  const stopReload = tls === undefined ? () => {} : startReload({ host, log, tls, servers: [http] });
  return {
    port: http.port,
    async stop() {
      scope.health.isStopping = true;
      stopReload();
      await Promise.all([http.close(options.times.drainMs), stopCleaner()]);
      await leader.stop();
      store.close();
    },
  };
}
