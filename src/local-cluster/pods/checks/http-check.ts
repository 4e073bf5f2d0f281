import { request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { Container } from "../../../kube/types.ts";
import { type CheckResult, type CheckTarget, dialError, portOf } from "./check.ts";

/** HTTP request of a probe or a hook. */
type HttpGet = NonNullable<NonNullable<Container["livenessProbe"]>["httpGet"]>;

/** Probes a container by HTTP; ok for any status from 200 to 399. Does not verify certificates. */
export async function httpCheck(target: CheckTarget, get: HttpGet, timeoutMs: number): Promise<CheckResult> {
  const port = portOf(target.spec, get.port);
  const isSecure = get.scheme === "HTTPS";
  const host = get.host ?? target.address;
  const path = get.path ?? "/";
  const url = `${isSecure ? "https" : "http"}://${host}:${port}${path.startsWith("/") ? path : `/${path}`}`;
  const fail = (output: string): CheckResult => ({ isOk: false, output });
  return new Promise((resolve) => {
    const send = isSecure ? secureRequest : plainRequest;
    const options = { headers: headersOf(get), agent: false, rejectUnauthorized: false } as const;
    const createConnection: RequestOptions["createConnection"] = (_, onCreated) => {
      target.connect(host, port).then(
        (socket) => onCreated(null, isSecure ? connectSecurely({ socket, rejectUnauthorized: false }) : socket),
        (error: Error) => onCreated(error, new Socket()),
      );
      return undefined;
    };
    const sending = send(url, { ...options, createConnection }, (response) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      const isOk = status >= 200 && status < 400;
      resolve(isOk ? { isOk, output: "" } : fail(`HTTP probe failed with statuscode: ${status}`));
    });
    const cancel = target.clock.after(timeoutMs, () => {
      const reason = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
      resolve(fail(`Get ${JSON.stringify(url)}: ${reason}`));
      sending.destroy();
    });
    sending.on("error", (error) => resolve(fail(`Get ${JSON.stringify(url)}: ${dialError(`${host}:${port}`, error)}`)));
    sending.on("close", cancel);
    sending.end();
  });
}

function headersOf({ httpHeaders = [] }: HttpGet): Record<string, string> {
  const own = Object.fromEntries(httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
  return { "user-agent": "kube-probe/1.35", accept: "*/*", connection: "close", ...own };
}
