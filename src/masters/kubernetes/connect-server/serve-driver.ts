import { connectGrpcBindingPort } from "../../../conf/entries/driver.ts";
import { forwardDriverPort } from "../applications/forward-driver-port.ts";
import { type FollowedDriver, type FollowedState, waitForState } from "../applications/wait-for-state.ts";
import { isGrpcServer } from "./is-grpc-server.ts";
import { connectPortOf } from "./server-label.ts";

/** A Spark Connect server whose port is forwarded. */
interface ServeCall extends FollowedDriver {
  /** Port of 127.0.0.1, 0 for any; `undefined` for that of Spark, else any. */
  readonly localPort: number | undefined;
  /** Called with the local port when the server responds. The port is forwarded until the returned promise resolves, or longer. */
  readonly onReady: (port: number) => Promise<"keep" | "close">;
  /** Receives the reason why a connection failed, after the server has responded. */
  readonly onFailure: (reason: string) => void;
}

const retryMs = 500;

/**
 * Waits until a Spark Connect server responds, and forwards a port of this machine to it until its driver ends or the signal aborts.
 *
 * @returns the state that ended it; `undefined` after the signal, or if `onReady` closes the port
 * @throws SUBMIT_ERR_UI_PORT
 */
export async function serveDriver(call: ServeCall): Promise<FollowedState | undefined> {
  const { clock, client, driver, localPort, signal, onReady, onFailure } = call;
  const started = await waitForState(call, (state) => state !== "pending");
  if (started !== "running") return started;
  const ended = new AbortController();
  const end = waitForState(call, (state) => state !== "running").finally(() => ended.abort());
  const usualPort = connectGrpcBindingPort.absent;
  let isReady = false;
  const report = (reason: string) => {
    if (isReady) onFailure(reason);
  };
  const port = connectPortOf(driver) ?? usualPort;
  const forwarded = await forwardDriverPort({ client, driver, port, localPort, usualPort, onFailure: report });
  try {
    while (!ended.signal.aborted && !signal.aborted) {
      isReady = await isGrpcServer(forwarded.port);
      if (isReady) break;
      await clock.sleep(retryMs, { signal: ended.signal });
    }
    if (isReady && (await onReady(forwarded.port)) === "close") return undefined;
    return await end;
  } finally {
    forwarded.close();
  }
}
