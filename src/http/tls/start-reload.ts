import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { HttpServer } from "../serve.ts";
import type { ServerLog } from "../server-log.ts";
import type { TlsSource } from "./tls-source.ts";

/** Dependencies of the certificate reload. */
interface ReloadScope {
  readonly host: Pick<Host, "clock">;
  readonly log: ServerLog;
  readonly tls: TlsSource;
  readonly servers: readonly Pick<HttpServer, "setSecureContext">[];
}

/**
 * Checks periodically whether certificate or key have changed, and applies them to new connections. Ignores files that are invalid,
 * because they may be incomplete. Returns a function that stops the checks.
 */
export function startReload({ host, log, tls, servers }: ReloadScope): () => void {
  let last = JSON.stringify(tls.read());
  let cancel = host.clock.after(tls.reloadEveryMs, reload);
  function reload(): void {
    try {
      const now = tls.read();
      if (JSON.stringify(now) !== last) {
        for (const server of servers) server.setSecureContext(now);
        last = JSON.stringify(now);
        log("INFO", "The server reloaded its certificate.");
      }
    } catch (error) {
      log("WARN", "The new certificate is invalid; the server keeps the old one.", {
        reason: messageOf(error),
      });
    }
    cancel = host.clock.after(tls.reloadEveryMs, reload);
  }
  return () => cancel();
}
