import type { Host } from "../host/host.ts";
import { httpConnections } from "../net/http-connections.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import { withResponseTimeout } from "../net/with-response-timeout.ts";
import type { SendToRegistry } from "./session.ts";

/** Time for a response. Without one, the image is not checked. */
const timeoutMs = 5000;

/** Opens connections to registries, through the proxy of the environment. */
export function openRegistries({ clock, env }: Pick<Host, "clock" | "env">): {
  readonly send: SendToRegistry;
  readonly close: () => void;
} {
  const connections = httpConnections({ clock, findProxy: (server) => proxyFor(server, env) });
  return {
    send: (request) => withResponseTimeout(clock, timeoutMs, (signal) => connections.send({ ...request, signal })),
    close: connections.close,
  };
}
