import { attach } from "../masters/kubernetes/attach.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
import type { ApplicationRun } from "./application-run.ts";

/**
 * Waits for the driver of an application, with the settings of its submission, also those of its file and its profile.
 *
 * @throws what `attach` throws
 */
export function attachRun(run: ApplicationRun): Promise<KubernetesOutcome> {
  const { application, overrides, openClient, openEmbedded } = run;
  const { host, invocation } = application.submit(run.host, overrides);
  const id = `${application.namespace}:${application.podName}`;
  return attach({ host, commandLine: invocation, id, openClient, openEmbedded });
}
