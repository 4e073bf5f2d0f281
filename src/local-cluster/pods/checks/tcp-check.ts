import { connect } from "node:net";
import { type CheckResult, type CheckTarget, dialError, portOf } from "./check.ts";

/** Probes a container by opening and closing a TCP connection. */
export async function tcpCheck(
  target: CheckTarget,
  socket: { readonly host?: string; readonly port: number | string },
  timeoutMs: number,
): Promise<CheckResult> {
  const port = portOf(target.spec, socket.port);
  const host = socket.host ?? target.address;
  return new Promise((resolve) => {
    const connection = connect({ host, port });
    const end = (result: CheckResult) => {
      cancel();
      connection.destroy();
      resolve(result);
    };
    const cancel = target.clock.after(timeoutMs, () =>
      end({ isOk: false, output: `dial tcp ${host}:${port}: i/o timeout` }),
    );
    connection.on("connect", () => end({ isOk: true, output: "" }));
    connection.on("error", (error) => end({ isOk: false, output: dialError(`${host}:${port}`, error) }));
  });
}
