import { pushPort, pushServiceType, pushTimeout } from "../../../../../conf/entries/pushing.ts";
import { isSubmitError } from "../../../../../errors/submit-error.ts";
import { statusOf } from "../../../../../kube/status.ts";
import type { Pod } from "../../../../../kube/types.ts";
import type { PushServiceType } from "../../../../../plan/transports/push-service.ts";
import { TransientError } from "../../../../../staging-client/retry.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";
import { firstResponding, type PushTarget } from "./first-responding.ts";
import { announcedUrl, frontAddress, noAddress, nodePorts, type UrlSource } from "./service-urls.ts";
import { stepUrl } from "./step-url.ts";

const urlSources: Readonly<Record<Exclude<PushServiceType, "PortForward">, UrlSource>> = {
  NodePort: nodePorts,
  ExternalAnnotation: announcedUrl,
  Ingress: frontAddress,
  Gateway: frontAddress,
  FeatureStep: stepUrl,
};

/**
 * Finds the push target that the settings specify, and waits until it responds.
 *
 * @throws SUBMIT_ERR_STAGING_NO_ADDRESS, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_FEATURE_STEP_…, SUBMIT_ERR_KUBE_…
 */
export async function findPushTarget(call: TransferCall, pod: Pod): Promise<PushTarget> {
  const type = call.driver.conf.get(pushServiceType);
  if (type === "PortForward") return portForwardTarget(call, pod);
  return firstResponding(call, await awaitUrls(call, urlSources[type]));
}

const pollMs = 1000;

async function awaitUrls(call: TransferCall, { find, missing }: UrlSource): Promise<readonly string[]> {
  const { host, driver, signal } = call;
  const limitMs = driver.conf.get(pushTimeout);
  const done = new AbortController();
  const end = () => done.abort(noAddress(call, `${missing(call)} within ${limitMs / 1000} s`));
  const cancel = host.clock.after(limitMs, end);
  const either = AbortSignal.any([done.signal, ...(signal === undefined ? [] : [signal])]);
  const search = async () => {
    for (;;) {
      const urls = await find(call);
      if (urls !== undefined) return urls;
      await host.clock.sleep(pollMs, { signal: either });
      either.throwIfAborted();
    }
  };
  try {
    // A step of the user may never return.
    return await Promise.race([search(), rejectedAtAbort(either)]);
  } finally {
    cancel();
    done.abort();
  }
}

function rejectedAtAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function portForwardTarget({ client, driver, signal }: TransferCall, { metadata }: Pod): PushTarget {
  const { name = "", namespace = "" } = metadata ?? {};
  const port = driver.conf.get(pushPort);
  const tunnelClient = client.withoutRetries();
  const target = { namespace, pod: name, port, ...(signal !== undefined && { signal }) };
  return {
    description: "port forwarding of the Kubernetes API",
    url: `http://${name}:${port}`,
    connect: () => tunnelClient.connectToPod(target).catch(throwTransient),
  };
}

/** Throws a transient error for a node that is not ready, or for an unavailable API: a retry can succeed. */
function throwTransient(error: unknown): never {
  if (!isSubmitError(error)) throw error;
  const { kind, code, message } = error;
  const isUnreachable = (kind === "unreachable" || kind === "timeout") && code !== "SUBMIT_ERR_INTERRUPTED";
  if (isUnreachable || (statusOf(error)?.code ?? 0) >= 500) throw new TransientError(message);
  throw error;
}
