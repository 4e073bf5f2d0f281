import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { messageOf } from "../../errors/message-of.ts";
import { type ConnectionLimits, defaultConnectionLimits, serverOptions } from "../../http/connection-limits.ts";
import { limitConnections } from "../../http/limit-connections.ts";
import { rejectMalformed } from "../../http/reject-malformed.ts";
import type { PushSource } from "../../staging-client/localize-config.ts";
import { LocalizeError } from "../localize-error.ts";
import type { LocalizedFiles, LocalizeRun } from "../localize-run.ts";
import { handlePush } from "./handle-push.ts";
import type { PushSession } from "./push-session.ts";
import type { PushedEntries } from "./pushed-entries.ts";

const defaultClientTimeoutSeconds = 300;
/** One client sends the entries. Others can reach the port before it does. */
const maxConnections = 64;

/** Inputs of a push besides its source. */
interface PushWork {
  readonly secret: string;
  readonly entries: PushedEntries;
  readonly limits?: Partial<ConnectionLimits>;
  /** Key and certificate of the server, in PEM. @default without TLS */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
}

/**
 * Serves the push protocol until the submitting client has sent all entries, then moves them to their final paths.
 *
 * @throws LocalizeError if an entry is invalid, or no byte arrives within the client timeout
 */
export async function receivePush(
  run: LocalizeRun,
  source: PushSource,
  { secret, entries, limits, tls }: PushWork,
): Promise<LocalizedFiles> {
  const ending = createEnding();
  const timeout = startTimeout(run, source, ending.reject);
  const session: PushSession = {
    secret,
    entries,
    renewTimeout: timeout.renew,
    done: ending.resolve,
    fail: ending.reject,
    log: run.log,
    clock: run.host.clock,
    basePath: source.basePath ?? "",
  };
  const server = createPushServer(session, { ...defaultConnectionLimits, maxConnections, ...limits }, tls);
  const stop = () => ending.reject(run.signal.reason);
  run.signal.addEventListener("abort", stop);
  try {
    run.log(`Waiting for the submitting client on port ${await listen(server, source.port)}`);
    run.signal.throwIfAborted();
    await ending.promise;
  } finally {
    timeout.end();
    run.signal.removeEventListener("abort", stop);
    server.close();
    server.closeAllConnections();
  }
  return entries.moveFiles();
}

/** @throws LocalizeError if key and certificate are not valid */
function createPushServer(session: PushSession, limits: ConnectionLimits, tls: PushWork["tls"]): Server | TlsServer {
  const server = tls === undefined ? createServer(serverOptions(limits)) : openTlsServer(limits, tls);
  const { clock, log } = session;
  const connections = limitConnections(server, {
    ...{ ...limits, clock, isHealthCheck: () => false },
    onOverload: (count) => log(`All connections are in use: closed or rejected ${count}`),
  });
  server.on("request", (request, response) => {
    if (connections.admit(request, response)) handlePush(session, request, response);
  });
  server.on("clientError", (error, socket) => {
    if (connections.isResponding(socket)) socket.destroy();
    else rejectMalformed(error, socket);
  });
  return server;
}

function openTlsServer(limits: ConnectionLimits, tls: NonNullable<PushWork["tls"]>): TlsServer {
  try {
    return createTlsServer({ ...serverOptions(limits), ...tls, minVersion: "TLSv1.2" });
  } catch (error) {
    throw new LocalizeError(
      "badConfig",
      `The key and the certificate of the server are not valid: ${messageOf(error)}`,
    );
  }
}

interface Ending {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function createEnding(): Ending {
  let resolve: Ending["resolve"] = () => {};
  let reject: Ending["reject"] = () => {};
  const promise = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  // Prevent an unhandled rejection if the promise fails before it is awaited.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** Starts to listen. Returns the port, which the system chooses if it is 0. @throws LocalizeError */
function listen(server: Server | TlsServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(new LocalizeError("badConfig", `Cannot listen on port ${port}: ${messageOf(error)}`));
    });
    server.listen(port, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function startTimeout(
  { host: { clock } }: LocalizeRun,
  { clientTimeoutSeconds = defaultClientTimeoutSeconds }: PushSource,
  fail: (error: LocalizeError) => void,
) {
  const onTimeout = () =>
    fail(new LocalizeError("network", `No data arrived from the submitting client for ${clientTimeoutSeconds} s`));
  const start = () => clock.after(clientTimeoutSeconds * 1000, onTimeout);
  let cancel = start();
  return {
    renew: () => {
      cancel();
      cancel = start();
    },
    end: () => cancel(),
  };
}
