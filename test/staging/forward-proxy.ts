import { createServer, request } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** Forward proxy that sends all requests to one server, whatever host they name. */
export interface ForwardProxy {
  readonly url: string;
  /** Received requests and tunnels: `METHOD target proxy-authorization`. */
  readonly requests: readonly string[];
}

/** Starts a proxy for a test. It forwards requests and tunnels to a local port. */
export async function startProxy(portBehind: number): Promise<ForwardProxy> {
  const requests: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    requests.push(`${method} ${url} ${headers["proxy-authorization"]}`);
    const { pathname, search } = new URL(url);
    const target = { host: "127.0.0.1", port: portBehind, path: `${pathname}${search}` };
    const options = { ...target, method, headers, agent: false };
    const passed = request(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    // Swift sends bodies for responses that must not have one. Node reports an error after the response.
    passed.on("error", () => outgoing.headersSent || outgoing.destroy());
    incoming.pipe(passed);
  });
  proxy.on("connect", ({ url = "", headers }, socket) => {
    requests.push(`CONNECT ${url} ${headers["proxy-authorization"]}`);
    const onward = connect(portBehind, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [onward, socket]) one.on("error", () => [onward, socket].map((each) => each.destroy()));
  });
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, requests };
}
