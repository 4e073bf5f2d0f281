import { waitAppCompletion } from "../conf/entries/watching.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import type { SubmitContext } from "../masters/master-strategy.ts";
import { submitInvocation } from "../masters/submit-invocation.ts";
import type { SubmitOutcome } from "../masters/submit-outcome.ts";
import { firesteelWaitEntries } from "../masters/wait-options.ts";
import type { Overrides } from "./application-submission.ts";
import type { AppliedApplication } from "./applied-application.ts";
import { type DriverRecord, driverRecord, recordStep } from "./driver-record.ts";

/** An application and its cluster. */
export interface ApplicationRun extends Pick<SubmitContext, "openEmbedded" | "openClient"> {
  readonly host: Host;
  readonly client: KubeClient;
  readonly application: AppliedApplication;
  /** Options of the command line, with the master. */
  readonly overrides: Overrides;
  /** Returns the version of the Spark on this machine. */
  readonly localSpark?: (() => string | undefined) | undefined;
  /** Further labels of the driver. @default none */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Aborts when the application must not run again. @default never */
  readonly stopped?: AbortSignal | undefined;
}

/** Finds the driver's pod. */
export async function findDriverPod({ client, application }: ApplicationRun): Promise<Pod | undefined> {
  const { namespace, podName } = application;
  const { items } = await client.list<Pod>({
    type: resourceTypes.pod,
    namespace,
    fieldSelector: `metadata.name=${podName}`,
  });
  return items[0];
}

/**
 * Finds the driver of an earlier run of the application.
 *
 * @throws SUBMIT_ERR_MANIFEST_DRIVER_CONFLICT if the pod is not one
 */
export async function findOwnDriver(run: ApplicationRun): Promise<Pod | undefined> {
  const { file, name, namespace, podName } = run.application;
  const pod = await findDriverPod(run);
  if (pod === undefined || driverRecord(pod)?.application === name) return pod;
  const driver = `${namespace}:${podName}`;
  throw submitError("SUBMIT_ERR_MANIFEST_DRIVER_CONFLICT", { file, application: name, driver });
}

/**
 * Submits an application.
 *
 * @param waits whether to wait for the driver; `undefined` for the setting of the file
 * @throws SubmitError if Firesteel or the API rejects the submission
 */
export async function submitRun(
  { host, application, overrides, openEmbedded, openClient, localSpark, labels }: ApplicationRun,
  { record, waits }: { readonly record: DriverRecord; readonly waits: boolean | undefined },
): Promise<SubmitOutcome> {
  const waiting = { key: waitAppCompletion.key, value: String(waits), origin: { kind: "conf" as const } };
  const submission = application.submit(host, {
    ...overrides,
    settings: [...overrides.settings, ...(waits === undefined ? [] : [waiting])],
  });
  return submitInvocation({
    ...submission,
    ...{ openEmbedded, localSpark },
    ...(openClient && { openClient }),
    // Commands that do not let the submission wait attach to its driver.
    ...(waits === false && { waitEntries: firesteelWaitEntries }),
    extraSteps: [...submission.extraSteps, recordStep(record, labels)],
  });
}
