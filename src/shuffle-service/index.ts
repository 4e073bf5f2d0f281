import { isSubmitError, messageOf, submitError } from "../errors/submit-error.ts";
import type { BlockFiles } from "../host/block-files.ts";
import type { Host } from "../host/host.ts";
import { nodeBlockFiles } from "../host/node-block-files.ts";
import { nodeContentFiles } from "../host/node-content-files.ts";
import { loadFileSender } from "../host/node-file-sender.ts";
import { semaphore } from "../host/semaphore.ts";
import { limitLog, type ServerLog, serverLog } from "../http/server-log.ts";
import type { Cleaner } from "./cleaner/start-cleaner.ts";
import { blockSource } from "./files/block-source.ts";
import { lockState } from "./lock-state.ts";
import { readTls } from "./read-tls.ts";
import { openRegistrationLog, type RegistrationLog } from "./registry/registration-log.ts";
import { type Registrations, registrations } from "./registry/registrations.ts";
import { openSecrets } from "./secrets.ts";
import { bufferPool } from "./server/buffer-pool.ts";
import { type Connection, maxMessageBytes } from "./server/connection.ts";
import { counters } from "./server/counters.ts";
import { memoryBudget } from "./server/memory-budget.ts";
import type { ServiceScope } from "./server/scope.ts";
import { openTransportServer } from "./server/service.ts";
import { openStreams } from "./server/streams.ts";
import type { ShuffleServiceSettings } from "./settings.ts";

/** A running shuffle service. */
export interface ShuffleService {
  readonly port: number;
  /** Port of the metrics; `undefined` if they are not served. */
  readonly metricsPort: number | undefined;
  /** Ends running transfers and closes all connections. */
  readonly stop: () => Promise<void>;
}

const pieceBytes = 256 * 1024;

/**
 * Starts a shuffle service.
 *
 * @param openFiles opens the files of executors; a test passes those of a slow disk
 * @throws SubmitError `SUBMIT_ERR_SHUFFLE_FILE`, `SUBMIT_ERR_SHUFFLE_START`
 */
export async function openShuffleService(
  host: Host,
  settings: ShuffleServiceSettings,
  openFiles: typeof nodeBlockFiles = nodeBlockFiles,
): Promise<ShuffleService> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    if (host.platform !== "linux") throw new Error("it needs Linux, because it checks open files in /proc");
    return await open({ host, openFiles }, settings, { add: (closer) => closers.push(closer), close });
  } catch (error) {
    await close();
    if (isSubmitError(error)) throw error;
    throw submitError("SUBMIT_ERR_SHUFFLE_START", { reason: messageOf(error) }, { cause: error });
  }
}

/** Resources that must be closed, in reverse order. */
interface Closers {
  readonly add: (closer: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

/** Machine of a service. */
interface ServiceHost {
  readonly host: Host;
  readonly openFiles: typeof nodeBlockFiles;
}

async function open(
  { host, openFiles }: ServiceHost,
  settings: ShuffleServiceSettings,
  closers: Closers,
): Promise<ShuffleService> {
  const log = serverLog(host);
  const registered = registrations(host.files, settings.directories);
  const registrationLog = await openState(host, settings, { log, registrations: registered, closers });
  const sender = await loadFileSender();
  const scope = createScope(host, settings, {
    ...{ log, registrations: registered, registrationLog },
    blockFiles: openFiles(sender),
  });
  const tls = settings.tls === undefined ? undefined : readTls(host.files, settings.tls);
  let isStopping = false;
  const unreadyReasons = () => [
    ...(isStopping ? ["The service is stopping."] : []),
    ...settings.directories
      .filter((directory) => host.files.info(directory)?.kind !== "directory")
      .map((directory) => `The directory ${directory} does not exist.`),
  ];
  let metricsPort: number | undefined;
  let cleaner: Cleaner | undefined;
  if (settings.metrics !== undefined) {
    const { serviceMetrics } = await import("./metrics.ts");
    const { serveHealth } = await import("./serve-health.ts");
    const { directories } = settings;
    const metrics = serviceMetrics(scope, { directories, watchAgeMs: () => cleaner?.watchAgeMs() });
    const health = await serveHealth({ host, log, metrics, unreadyReasons }, settings.metrics);
    metricsPort = health.port;
    closers.add(() => health.close(0));
  }
  const { address, port } = settings;
  const server = await openTransportServer(scope, { address, port, tls });
  closers.add(server.stop);
  if (settings.cleaner !== undefined) {
    const { openCleaner } = await import("./cleaner/open-cleaner.ts");
    cleaner = await openCleaner(host, scope, { settings: settings.cleaner, directories: settings.directories });
    closers.add(cleaner.stop);
  }
  const isAuthenticated = settings.authentication !== undefined;
  log("INFO", "The shuffle service has started.", {
    ...{ port: server.port, metricsPort, isAuthenticated, sendsFiles: sender === undefined ? "copied" : "directly" },
  });
  if (!isAuthenticated) log("WARN", "Clients need not authenticate, so each can read and remove all shuffle files.");
  return {
    port: server.port,
    metricsPort,
    async stop() {
      isStopping = true;
      await closers.close();
      log("INFO", "The shuffle service has stopped.");
    },
  };
}

interface StateContext {
  readonly log: ServerLog;
  readonly registrations: Registrations;
  readonly closers: Closers;
}

/** Opens the state directory and recovers its registrations. */
async function openState(
  host: Host,
  { stateDirectory: directory }: ShuffleServiceSettings,
  { log, registrations, closers }: StateContext,
): Promise<RegistrationLog | undefined> {
  if (directory === undefined) {
    log("WARN", "There is no state directory, so a restart loses the registrations of running executors.");
    return undefined;
  }
  host.files.makeDirectory(directory, { mode: 0o700 });
  const unlock = await lockState(host.files.identity(directory) ?? directory);
  if (unlock === undefined) throw new Error(`another shuffle service uses the state directory ${directory}`);
  closers.add(unlock);
  const registrationLog = await openRegistrationLog({ host, files: nodeContentFiles(), directory, registrations, log });
  closers.add(registrationLog.close);
  return registrationLog;
}

function createScope(
  host: Host,
  settings: ShuffleServiceSettings,
  {
    blockFiles,
    ...shared
  }: Pick<ServiceScope, "log" | "registrations" | "registrationLog"> & { readonly blockFiles: BlockFiles },
): ServiceScope {
  const { limits, authentication } = settings;
  const counted = counters();
  const memory = memoryBudget(limits.requestBytes);
  return {
    ...{ host, limits, ...shared, memory, counters: counted },
    authentication:
      authentication === undefined
        ? undefined
        : {
            ...{ ...authentication, aes: authentication.aes, maxMessageBytes, random: host.random },
            secretOf: openSecrets(host.files, authentication.secrets),
          },
    source: blockSource(blockFiles, host.clock, {
      ...{ maxIndexCacheBytes: limits.indexCacheBytes, maxUnusedFiles: limits.maxUnusedFiles },
    }),
    streams: openStreams<Connection>(host.random, ({ streamIds }, { id, requestBytes }) => {
      streamIds.delete(id);
      counted.openStreams -= 1;
      memory.free(requestBytes);
    }),
    diagnoses: semaphore(2),
    buffers: bufferPool(pieceBytes, Math.floor(limits.bufferBytes / pieceBytes)),
    durations: { openStream: () => {}, registerExecutor: () => {} },
    limitedLog: limitLog(shared.log, host.clock),
  };
}
