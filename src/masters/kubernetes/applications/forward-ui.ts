import { messageOf } from "../../../errors/message-of.ts";
import { submitError } from "../../../errors/submit-error.ts";
import type { Clock, Random } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { startInformer } from "../diagnose/informer.ts";
import { uiPortOf } from "../watch/ui-port.ts";
import { applicationState } from "./application-summary.ts";
import { type ForwardedPort, forwardPort } from "./forward-port.ts";

interface ForwardUiCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly driver: Pod;
  /** Port of 127.0.0.1, 0 for any; `undefined` for that of Spark, else any. */
  readonly localPort: number | undefined;
  /** Called when the URL can be opened. */
  readonly onOpen: (url: string) => void;
  /** Receives the reason why a connection failed. */
  readonly onFailure: (reason: string) => void;
  readonly signal: AbortSignal;
}

const sparkPort = 4040;

/**
 * Forwards a port of this machine to a driver's UI until the driver ends or the signal aborts.
 *
 * @throws SUBMIT_ERR_DRIVER_NOT_RUNNING, SUBMIT_ERR_UI_PORT
 */
export async function forwardUi(call: ForwardUiCall): Promise<void> {
  const { driver, onOpen } = call;
  const { namespace, name } = driver.metadata ?? {};
  const state = applicationState(driver);
  if (state !== "running") throw submitError("SUBMIT_ERR_DRIVER_NOT_RUNNING", { id: `${namespace}:${name}`, state });
  const forwarded = await listen(call);
  try {
    onOpen(`http://127.0.0.1:${forwarded.port}`);
    await untilEnd(call);
  } finally {
    forwarded.close();
  }
}

async function listen({ client, driver, localPort, onFailure }: ForwardUiCall): Promise<ForwardedPort> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const target = { namespace, pod: name, port: uiPortOf(driver) };
  const forward = (port: number) =>
    forwardPort({ client: client.withoutRetries(), target, localPort: port, onFailure });
  if (localPort === undefined) return forward(sparkPort).catch(() => forward(0));
  return forward(localPort).catch((error: unknown) => {
    throw submitError("SUBMIT_ERR_UI_PORT", { port: localPort, reason: messageOf(error) }, { cause: error });
  });
}

function untilEnd({ client, clock, random, driver, signal }: ForwardUiCall): Promise<void> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const stopped = new AbortController();
  return new Promise((resolve) => {
    const end = () => {
      stopped.abort();
      resolve();
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    const pods = startInformer<Pod>({
      ...{ client: client.withoutRetries(), clock, random, type: resourceTypes.pod, namespace },
      fieldSelector: `metadata.name=${name}`,
      // Without permission to watch pods, the interrupt ends the command.
      onDenied: () => {},
      signal: stopped.signal,
    });
    pods.onChange(() => {
      const [pod] = pods.get();
      if (pod !== undefined && (pod.isDeleted || applicationState(pod.object) !== "running")) end();
    });
  });
}
