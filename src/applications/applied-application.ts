import { fieldKeys } from "../conf/entries/spark-application.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { KubeResource } from "../kube/types.ts";
import type { ScheduledSparkApplication, SparkApplication } from "../spark-application/application.ts";
import { withDefaultRestart } from "../spark-application/defaults.ts";
import { isOwnFormat, readOwnApplication, translateOwn } from "../spark-application/own/translate-own.ts";
import { isApplication, readApplication } from "../spark-application/read/read-application.ts";
import type { LifetimeFields } from "../spark-application/state/status.ts";
import {
  type ApplicationSubmission,
  applicationSubmission,
  type Overrides,
  ownSubmission,
} from "./application-submission.ts";
import { digestOf } from "./digest-of.ts";
import { type LoadOptions, loadApplication } from "./load-application.ts";

/** An application of a file, in either format. */
export interface AppliedApplication {
  readonly kind: "application";
  readonly file: string;
  readonly name: string;
  readonly namespace: string;
  /** Name of the driver's pod. */
  readonly podName: string;
  /** Cluster that the file names. */
  readonly master: string | undefined;
  /** Profile that the file names. */
  readonly profile: string | undefined;
  readonly fields: LifetimeFields;
  /** `client`: the driver is a process of this machine, so it has no pod. */
  readonly deployMode: "client" | "cluster";
  /** Changes if a change of the file requires a new run; for a submitted application, also if one of its settings or files does. */
  readonly digest: string;
  readonly warnings: readonly string[];
  /** Objects beside the driver, whose names are the same for each run. */
  readonly objects: readonly KubeResource[];
  readonly submit: (host: Host, overrides: Overrides) => ApplicationSubmission;
}

/** A schedule of a file. */
export interface AppliedSchedule {
  readonly kind: "schedule";
  readonly schedule: ScheduledSparkApplication;
}

/** Reads a document of a file. @throws SUBMIT_ERR_MANIFEST_…: all problems together */
export function readApplied(
  { file, document }: { readonly file: string; readonly document: unknown },
  options: LoadOptions,
): AppliedApplication | AppliedSchedule {
  if (isOwnFormat(document)) return readOwn({ file, document }, options);
  const resource = orThrow(readApplication(file, document));
  return isApplication(resource)
    ? appliedApplication({ file, application: resource }, options)
    : { kind: "schedule", schedule: resource };
}

/** Prepares a SparkApplication. @throws SUBMIT_ERR_MANIFEST_…: all problems together */
export function appliedApplication(
  { file, application }: { readonly file: string; readonly application: SparkApplication },
  options: LoadOptions,
): AppliedApplication {
  const loaded = loadApplication(file, application, options);
  const { input, translation } = loaded;
  const { suspend, timeToLiveSeconds, ...spec } = input.spec;
  const settings = new Map(translation.settings.map(({ key, value }) => [key, value]));
  return {
    kind: "application",
    file,
    name: input.name,
    namespace: input.namespace,
    podName: settings.get(fieldKeys.podName) ?? `${input.name}-driver`,
    master: undefined,
    profile: undefined,
    fields: input.spec,
    deployMode: input.spec.mode ?? "cluster",
    digest: digestOf({ spec, options: options.options }),
    warnings: loaded.warnings,
    objects: translation.objects(""),
    submit: (machine, overrides) => applicationSubmission(machine, loaded, overrides),
  };
}

function readOwn(
  { file, document }: { readonly file: string; readonly document: unknown },
  { namespace }: Pick<LoadOptions, "namespace">,
): AppliedApplication {
  const read = orThrow(readOwnApplication(file, document));
  const isDefaulted = namespace !== undefined && read.conf?.[fieldKeys.namespace] === undefined;
  const own = isDefaulted ? { namespace, ...read } : read;
  const { suspend, timeToLiveSeconds, restartPolicy, ...content } = own;
  const translation = translateOwn(file, own);
  const settings = new Map(translation.settings.map(({ key, value }) => [key, value]));
  const fields = {
    restartPolicy: withDefaultRestart(restartPolicy),
    ...(suspend !== undefined && { suspend }),
    ...(timeToLiveSeconds !== undefined && { timeToLiveSeconds }),
  };
  return {
    kind: "application",
    file,
    name: own.name,
    namespace: settings.get(fieldKeys.namespace) ?? "default",
    podName: settings.get(fieldKeys.podName) ?? `${own.name}-driver`,
    master: own.master,
    profile: own.profile,
    fields,
    deployMode: "cluster",
    digest: digestOf(content),
    warnings: [],
    objects: [],
    submit: (machine, overrides) => ownSubmission(machine, translation, overrides),
  };
}
