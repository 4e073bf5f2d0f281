import type { ApplicationRun } from "../../applications/application-run.ts";
import { findDriverPod } from "../../applications/application-run.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import { differenceOf, type FieldChange } from "../../explain/difference.ts";
import { plannedFields } from "../../explain/live-fields.ts";
import { redactionOf } from "../../explain/redact-field.ts";
import { resourceTypeOf } from "../../kube/resources.ts";
import { dryApplication } from "../dry/dry-application.ts";
import { fieldsOfDriver } from "../dry/live-driver.ts";
import { printChanges, toPlainChanges } from "../dry/print-changes.ts";

/** Differences between the run of an application and its file. */
interface Changes {
  readonly count: number;
  readonly print: () => string;
  readonly printJson: () => string;
}

/** Fields of a Service that the API fills in. */
const filledIn = /^spec\.(clusterIP|ipFamil|internalTraffic|externalTraffic|sessionAffinity|ports\[\d+\]\.nodePort)/;

/** Leaves out the record of the run, the setting of waiting, and fields that the API fills in. */
function isRelevant({ path, kind, new: planned }: FieldChange): boolean {
  if (path.includes("firesteel.dev/application") || path.includes(`[${waitAppCompletion.key}]`)) return false;
  return !(kind === "Service" && planned === undefined && filledIn.test(path));
}

/** Compares the current driver of an application and its objects with those that its file results in. */
export async function changesOf(run: ApplicationRun): Promise<Changes> {
  const { host, application, overrides } = run;
  const submit = (machine: typeof host) => application.submit(machine, overrides);
  const dry = await dryApplication(host, submit, { seed: "diff" });
  const { request } = dry.submission;
  const pod = await findDriverPod(run);
  const extraTypes = application.objects.map(resourceTypeOf);
  const old = pod === undefined ? new Map() : await fieldsOfDriver(run.client, pod, extraTypes);
  const planned = plannedFields(dry);
  const changes = differenceOf(old, planned).filter(isRelevant);
  const redaction = redactionOf(request.conf);
  return {
    count: changes.length,
    print: () => printChanges(changes, redaction),
    printJson: () => toPlainChanges(changes, redaction),
  };
}
