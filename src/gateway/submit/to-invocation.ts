import { driverLabels, driverPodName, podTemplateFile } from "../../conf/entries/driver.ts";
import { executorLabels } from "../../conf/entries/executor.ts";
import { firesteelSubmissionToken } from "../../conf/entries/firesteel.ts";
import { packagesResolver } from "../../conf/entries/packages.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import type { Setting, SettingOrigin } from "../../conf/setting.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { ApplicationRecord } from "../model/application.ts";
import type { QueueScheduler } from "../queue/queue-rules.ts";

/** Additions of the server's configuration to submissions. */
export interface SubmissionDefaults {
  /** Value of `--master`. */
  readonly master: string;
  /** Settings of applications that do not set them. */
  readonly settings: Readonly<Record<string, string>>;
  /** User of applications without an owner. */
  readonly user: string;
  /** Name of this gateway, for labels. */
  readonly gateway: string;
  /** Schedulers of the cluster by the gateway's queues. @default none */
  readonly schedulers?: ReadonlyMap<string, QueueScheduler>;
}

/** Label with the key of the record of an application. */
export const keyLabel = "firesteel.dev/application";
/** Label with the name of the gateway. */
export const gatewayLabel = "firesteel.dev/gateway";

/** Paths of the pod templates of a client, which exist for its submission only. */
export const templatePaths = { driver: "/templates/driver.json", executor: "/templates/executor.json" } as const;

type Draft = Pick<ApplicationRecord, "key" | "submission" | "namespace" | "podName">;

/**
 * Returns the command line that corresponds to a record. Settings of the gateway override those of the client.
 *
 * @param forScheduler settings for the scheduler of its queue
 */
export function toInvocation(
  record: Draft,
  defaults: SubmissionDefaults,
  forScheduler: Readonly<Record<string, string>> = {},
): SubmitInvocation {
  const { submission } = record;
  const settings = new Map<string, Setting>();
  const add = (all: Readonly<Record<string, string>>, origin: SettingOrigin) => {
    for (const [key, value] of Object.entries(all)) settings.set(key, { key, value, origin });
  };
  add(defaults.settings, { kind: "client", why: "set by the gateway's configuration" });
  add(submission.settings, { kind: "conf" });
  add(forScheduler, { kind: "client", why: "set by the gateway for the scheduler of the queue" });
  add(forcedSettings(record, defaults), { kind: "client", why: "set by the gateway" });
  return {
    action: "submit",
    fields: { ...submission.fields, master: defaults.master, deployMode: "cluster" },
    settings: [...settings.values()],
    ...{ resource: submission.resource, appArgs: submission.appArgs },
    ...{ isExample: false, forwardedOptions: [], propertiesFile: undefined, extraPropertiesFiles: [] },
    ...{ loadsDefaults: false, supervise: false, verbose: false },
  };
}

function forcedSettings(
  { key, namespace, podName, submission }: Draft,
  { gateway }: SubmissionDefaults,
): Readonly<Record<string, string>> {
  const { driver, executor } = submission.templates;
  return {
    [namespaceEntry.key]: namespace,
    [driverPodName.key]: podName,
    [waitAppCompletion.key]: "false",
    // The server must not download what clients name.
    [packagesResolver.key]: "driver",
    // Another application can name the same pod, and must not adopt it.
    [firesteelSubmissionToken.key]: `${key}/${podName}`,
    ...Object.fromEntries(
      [driverLabels, executorLabels].flatMap(({ prefix }) => [
        [`${prefix}${keyLabel}`, key],
        [`${prefix}${gatewayLabel}`, gateway],
      ]),
    ),
    ...(driver !== undefined && { [podTemplateFile.driver.key]: templatePaths.driver }),
    ...(executor !== undefined && { [podTemplateFile.executor.key]: templatePaths.executor }),
  };
}
