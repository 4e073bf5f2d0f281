import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { HttpServer } from "../../http/serve.ts";
import type { ServerLog } from "../log.ts";
import type { TlsSource } from "../options.ts";

/** Everything that is needed to change a certificate under a running server. */
export interface ReloadScope {
  readonly host: Pick<Host, "clock">;
  readonly log: ServerLog;
  readonly tls: TlsSource;
  readonly http: Pick<HttpServer, "setSecureContext">;
}

/**
 * Looks time and again whether certificate and key have changed; new connections get the new ones, others go on. What cannot
 * be used changes nothing: somebody may be writing just now.
 *
 * @returns how to stop
 */
export function startReload({ host, log, tls, http }: ReloadScope): () => void {
  let last = JSON.stringify(tls.read());
  let cancel = host.clock.after(tls.reloadEveryMs, look);
  function look(): void {
    try {
      const now = tls.read();
      if (JSON.stringify(now) !== last) {
        http.setSecureContext(now);
        last = JSON.stringify(now);
        log("INFO", "The certificate was replaced.");
      }
    } catch (error) {
      log("WARN", "The new certificate cannot be used; the old one stays.", { reason: messageOf(error) });
    }
    cancel = host.clock.after(tls.reloadEveryMs, look);
  }
  return () => cancel();
}
