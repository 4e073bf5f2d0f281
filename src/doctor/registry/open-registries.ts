import type { Host } from "../../host/host.ts";
import { httpConnections } from "../../net/http-connections.ts";
import { proxyFor } from "../../net/proxy/proxy-for.ts";
import type { SendToRegistry } from "./fetch-image.ts";

/** Time for a response. Without one, the image is not checked. */
const timeoutMs = 5000;

/** Opens connections to registries, through the proxy of the environment. */
export function openRegistries({ clock, env }: Pick<Host, "clock" | "env">): {
  readonly send: SendToRegistry;
  readonly close: () => void;
} {
  const connections = httpConnections({ clock, findProxy: (server) => proxyFor(server, env) });
  return {
    async send(request) {
      const controller = new AbortController();
      const cancel = clock.after(timeoutMs, () =>
        controller.abort(new Error(`it did not respond within ${timeoutMs / 1000} s`)),
      );
      try {
        return await connections.send({ ...request, signal: controller.signal });
      } catch (error) {
        throw controller.signal.aborted ? controller.signal.reason : error;
      } finally {
        cancel();
      }
    },
    close: connections.close,
  };
}
