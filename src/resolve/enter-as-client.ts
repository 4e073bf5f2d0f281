import { driverHost } from "../conf/entries/driver.ts";
import { containerImage, executorContainerImage } from "../conf/entries/image.ts";
import type { Setting } from "../conf/setting.ts";
import { orThrow } from "../errors/submit-error.ts";
import { printKubeconfig } from "../kube/print-kubeconfig.ts";
import { parseKubernetesMaster } from "../plan/master.ts";
import type { OpenEmbedded } from "./destination.ts";
import type { ResolvedSubmission } from "./resolve-submission.ts";

/** A driver that runs here, for the embedded cluster by its address. */
export interface EmbeddedClient {
  readonly submission: ResolvedSubmission;
  /** What the driver needs to be let in; secret. */
  readonly kubeconfig: string;
}

/**
 * Opens the embedded cluster for a driver that runs here. Its pods are processes of this machine, so they find the driver at the
 * loopback address.
 *
 * @param sparkVersion of the driver, which executors must have, too
 */
export async function enterAsClient(
  submission: ResolvedSubmission,
  { openEmbedded, sparkVersion }: { openEmbedded: OpenEmbedded; sparkVersion: string | undefined },
): Promise<EmbeddedClient> {
  const { url, defaults, certificateAuthority, token } = await openEmbedded({ sparkVersion });
  const { invocation, read, master } = submission;
  const isTold = (...keys: readonly string[]) => keys.some((key) => read.settings.has(key));
  const added: readonly Setting[] = [
    ...(isTold(driverHost.key) ? [] : [{ key: driverHost.key, value: "127.0.0.1" }]),
    ...(isTold(containerImage.key, executorContainerImage.key)
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
