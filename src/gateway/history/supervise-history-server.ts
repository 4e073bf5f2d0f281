import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { backoff } from "../../net/backoff.ts";
import { type HistoryServer, type RunningHistoryServer, startHistoryServer } from "../../spark/history-server.ts";

/** A history server that is started again when it ends. */
export interface SupervisedHistoryServer {
  /** Returns its port on 127.0.0.1; `undefined` while it does not serve. */
  readonly port: () => number | undefined;
  readonly stop: () => Promise<void>;
}

/** Starts a history server, and starts it again with growing delays when it ends. */
export function superviseHistoryServer(host: Host, server: HistoryServer, log: ServerLog): SupervisedHistoryServer {
  const ending = new AbortController();
  const { wait } = backoff(host.clock, host.random);
  let port: number | undefined;
  let running: RunningHistoryServer | undefined;
  const run = async () => {
    while (!ending.signal.aborted) {
      running = startHistoryServer(host, server, (url) => {
        port = Number(new URL(url).port);
        log("INFO", "The history server serves event logs.", { port });
      });
      const reason = await running.ended;
      port = undefined;
      if (ending.signal.aborted) return;
      log("WARN", "The history server has ended, and is started again.", { reason });
      await wait(ending.signal);
    }
  };
  const ended = run();
  return {
    port: () => port,
    async stop() {
      ending.abort();
      running?.stop();
      await ended;
    },
  };
}
