import { request } from "node:http";
import { request as secureRequest } from "node:https";
import type { Duplex } from "node:stream";

/** A proxy that opens connections for us. */
export interface HttpProxy {
  /** `http://host:port`, or `https:` where we speak TLS with the proxy itself. */
  readonly url: URL;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** Opens connections through a proxy, by its method CONNECT. Rejects with its refusal, or Node's error. */
export function tunnelThrough({
  url,
  user,
  password,
}: HttpProxy): (to: { readonly host: string; readonly port: number }) => Promise<Duplex> {
  const words = Buffer.from(`${user}:${password ?? ""}`).toString("base64");
  const authority = user === undefined ? {} : { "proxy-authorization": `Basic ${words}` };
  const open = url.protocol === "https:" ? secureRequest : request;
  return ({ host, port }) =>
    new Promise((resolve, reject) => {
      const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
      const asking = open(url, {
        method: "CONNECT",
        path,
        headers: { host: path, ...authority },
        agent: false,
      });
      asking.on("connect", ({ statusCode }, socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        reject(new Error(`the proxy ${url.host} answered ${statusCode} when asked for ${path}`));
      });
      asking.on("response", (answer) => {
        answer.destroy();
        reject(new Error(`the proxy ${url.host} answered ${answer.statusCode} when asked for ${path}`));
      });
      asking.on("error", reject);
      asking.end();
    });
}
