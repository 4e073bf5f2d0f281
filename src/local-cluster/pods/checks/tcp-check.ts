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
    const end = (result: CheckResult) => {
      cancel();
      resolve(result);
    };
    const cancel = target.clock.after(timeoutMs, () =>
      end({ isOk: false, output: `dial tcp ${host}:${port}: i/o timeout` }),
    );
    target.connect(host, port).then(
      (connection) => {
        connection.on("error", () => {});
        connection.destroy();
        end({ isOk: true, output: "" });
      },
      (error: Error) => end({ isOk: false, output: dialError(`${host}:${port}`, error) }),
    );
  });
}
