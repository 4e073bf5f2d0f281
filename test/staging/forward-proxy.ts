import { createServer, request } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy that has one server behind it, whatever name it is asked for. */
export interface ForwardProxy {
  readonly url: string;
  /** `METHOD target authorization`, of each request and each tunnel. */
  readonly asked: readonly string[];
}

/** Starts one for a test; it lets requests and tunnels through to a port of this machine. */
export async function startProxy(portBehind: number): Promise<ForwardProxy> {
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    asked.push(`${method} ${url} ${headers["proxy-authorization"]}`);
    const { pathname, search } = new URL(url);
    const target = { host: "127.0.0.1", port: portBehind, path: `${pathname}${search}` };
    const options = { ...target, method, headers, agent: false };
    const passed = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    // Swift sends bodies where there are none, which is told as an error after the answer.
    passed.on("error", () => outgoing.headersSent || outgoing.destroy());
    incoming.pipe(passed);
  });
  proxy.on("connect", ({ url = "", headers }, socket) => {
    asked.push(`CONNECT ${url} ${headers["proxy-authorization"]}`);
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
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, asked };
}
