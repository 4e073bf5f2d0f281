import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isGrpcServer } from "../../../masters/kubernetes/connect-server/is-grpc-server.ts";
import type { DriverWait } from "../../../masters/master-strategy.ts";

const retryMs = 200;

/**
 * Starts a background process that forwards a port to a server until the server ends. Resolves when the server responds there.
 *
 * @throws SUBMIT_ERR_CONNECT_FORWARDER
 */
export async function startForwarder(
  { host, clusterArgs }: { readonly host: Host; readonly clusterArgs: readonly string[] },
  { driver }: Pick<DriverWait, "driver">,
  port: number,
): Promise<void> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const id = `${namespace}:${name}`;
  const args = ["connect", "forward", id, "--port", `${port}`, ...clusterArgs];
  const options = { detached: true, stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  const child = host.spawn(host.nodePath, [host.programPath, ...args], { cwd: host.cwd, ...options });
  const ended = new AbortController();
  const end = () => ended.abort();
  child.exited.then(end, end);
  while (!ended.signal.aborted) {
    if (await isGrpcServer(port)) return;
    await host.clock.sleep(retryMs, { signal: ended.signal });
  }
  throw submitError("SUBMIT_ERR_CONNECT_FORWARDER", { id, port });
}
