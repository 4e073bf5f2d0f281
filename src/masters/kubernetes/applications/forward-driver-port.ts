import { messageOf } from "../../../errors/message-of.ts";
import { submitError } from "../../../errors/submit-error.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { type ForwardedPort, forwardPort } from "./forward-port.ts";

interface DriverPortCall {
  readonly client: KubeClient;
  readonly driver: Pod;
  /** Port of the driver's pod. */
  readonly port: number;
  /** Port of 127.0.0.1, 0 for any; `undefined` for `usualPort`, else any. */
  readonly localPort: number | undefined;
  readonly usualPort: number;
  /** Receives the reason why a connection failed. */
  readonly onFailure: (reason: string) => void;
}

/** Forwards a port of this machine to one of a driver. @throws SUBMIT_ERR_UI_PORT */
export async function forwardDriverPort(call: DriverPortCall): Promise<ForwardedPort> {
  const { client, driver, port, localPort, usualPort, onFailure } = call;
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const target = { namespace, pod: name, port };
  const forward = (local: number) =>
    forwardPort({ client: client.withoutRetries(), target, localPort: local, onFailure });
  if (localPort === undefined) return forward(usualPort).catch(() => forward(0));
  return forward(localPort).catch((error: unknown) => {
    throw submitError("SUBMIT_ERR_UI_PORT", { port: localPort, reason: messageOf(error) }, { cause: error });
  });
}
