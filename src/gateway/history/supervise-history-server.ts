import { messageOf } from "../../errors/message-of.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { backoff } from "../../net/backoff.ts";
import { type HistoryServer, type RunningHistoryServer, startHistoryServer } from "../../spark/history-server.ts";

interface SuperviseCall {
  readonly log: ServerLog;
  /** Ends the history server. */
  readonly signal: AbortSignal;
}

/** A history server that is started again when it ends. */
export interface SupervisedHistoryServer {
  /** Returns its port on 127.0.0.1; `undefined` while it does not serve. */
  readonly port: () => number | undefined;
  /** Resolves when it has ended because of the signal. */
  readonly ended: Promise<void>;
}

/** Starts a history server, and starts it again with growing delays when it ends or cannot start. */
export function superviseHistoryServer(
  host: Host,
  server: HistoryServer,
  { log, signal }: SuperviseCall,
): SupervisedHistoryServer {
  const { wait } = backoff(host.clock, host.random);
  let port: number | undefined;
  let running: RunningHistoryServer | undefined;
  signal.addEventListener("abort", () => running?.stop(), { once: true });
  const serve = async () => {
    running = startHistoryServer(host, server, (url) => {
      port = Number(new URL(url).port);
      log("INFO", "The history server serves event logs.", { port });
    });
    return running.ended;
  };
  const run = async () => {
    while (!signal.aborted) {
      const reason = await serve().catch(messageOf);
      port = undefined;
      if (signal.aborted) return;
      log("WARN", "The history server has ended or could not start, and is started again.", { reason });
      await wait(signal);
    }
  };
  return { port: () => port, ended: run() };
}
