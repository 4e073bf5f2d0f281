import { driverHost } from "../conf/entries/driver.ts";
import { containerImage, executorContainerImage } from "../conf/entries/image.ts";
import type { Setting } from "../conf/setting.ts";
import { orThrow } from "../errors/submit-error.ts";
import { printKubeconfig } from "../kube/print-kubeconfig.ts";
import { parseKubernetesMaster } from "../plan/master.ts";
import type { OpenEmbedded } from "./destination.ts";
import { embeddedName } from "./embedded-name.ts";
import { isPodLoopback } from "./pod-loopback.ts";
import type { ResolvedSubmission } from "./resolve-submission.ts";

/** A client-mode submission whose master is the address of the embedded cluster. */
interface EmbeddedClient {
  readonly submission: ResolvedSubmission;
  /** Credentials of the driver as a kubeconfig; secret. */
  readonly kubeconfig: string;
}

/**
 * Opens the embedded cluster for a driver on this machine. The driver gets the address of the cluster's API, which is an address of this
 * machine's loopback in all networks of pods; 127.0.0.1 may be the pod itself.
 *
 * @param sparkVersion version of the driver, which the executors must have, too
 */
export async function enterAsClient(
  submission: ResolvedSubmission,
  { openEmbedded, sparkVersion }: { openEmbedded: OpenEmbedded; sparkVersion: string | undefined },
): Promise<EmbeddedClient> {
  const { invocation, read, master, log } = submission;
  const name = master.kubernetes && embeddedName(master.kubernetes);
  const { url, defaults, certificateAuthority, token, machineName } = await openEmbedded({ name, sparkVersion });
  const { hostname } = new URL(url);
  const named = read.settings.get(driverHost.key)?.value ?? "";
  if (machineName !== undefined && isPodLoopback(named)) {
    const text = `${driverHost.key} is ${named}, which in the pod of an executor is the pod itself, not this driver. Remove it, or set it to ${hostname}.`;
    log("WARN", "SparkSubmit", text);
  }
  const isSet = (...keys: readonly string[]) => keys.some((key) => read.settings.has(key));
  const added: readonly Setting[] = [
    ...(isSet(driverHost.key) ? [] : [{ key: driverHost.key, value: hostname }]),
    ...(isSet(containerImage.key, executorContainerImage.key)
      ? []
      : [{ key: containerImage.key, value: defaults.image }]),
  ].map((setting) => ({ ...setting, origin: { kind: "client", why: "embedded cluster" } }));
  const kubernetes = orThrow(parseKubernetesMaster(`k8s://${url}`, { masterAddress: "checked" }));
  return {
    submission: {
      ...submission,
      master: { ...master, kubernetes },
      invocation: {
        ...invocation,
        fields: { ...invocation.fields, master: kubernetes.master },
        settings: [...invocation.settings, ...added],
      },
      read: {
        ...read,
        settings: new Map([...read.settings, ...added.map((setting) => [setting.key, setting] as const)]),
      },
    },
    kubeconfig: printKubeconfig({ name: "firesteel", url, certificateAuthority, token }),
  };
}
