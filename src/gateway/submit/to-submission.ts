import { createHash } from "node:crypto";
import { driverPodName } from "../../conf/entries/driver.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { type Issue, issue, type Result, success } from "../../errors/issue.ts";
import type { SparkApplication } from "../../spark-application/application.ts";
import { checkApplication } from "../../spark-application/check-application.ts";
import { withDefaultRestart } from "../../spark-application/defaults.ts";
import type { OwnApplication } from "../../spark-application/own/own-application.ts";
import { translateOwn } from "../../spark-application/own/translate-own.ts";
import type { LifetimeFields } from "../../spark-application/state/status.ts";
import type { NewApplication } from "../model/applications.ts";

/** A submission with the name of its application. */
export interface NamedSubmission extends Pick<NewApplication, "submission" | "lifetime"> {
  readonly name: string;
  /** Sentences about fields that have no effect, or another one than with the Spark operator. */
  readonly warnings: readonly string[];
}

/** Name of a request in messages. */
export const requestName = "the request";

/**
 * Translates an application as `firesteel apply` does. Its driver gets a name of its own, because the same application can be submitted
 * again.
 *
 * Errors: SUBMIT_ERR_MANIFEST_…, every problem.
 */
export function toSubmission(application: SparkApplication | OwnApplication): Result<NamedSubmission> {
  return "kind" in application ? ofSparkApplication(application) : ofOwn(application);
}

function ofOwn(application: OwnApplication): Result<NamedSubmission> {
  const { name, conf = {}, suspend } = application;
  const issues = suspendIssues("suspend", suspend);
  if (issues.length > 0) return { ok: false, issues };
  const { fields, settings, resource, appArgs } = translateOwn(requestName, application);
  const own = settings.filter(({ key }) => key !== driverPodName.key || conf[driverPodName.key] !== undefined);
  const submission = {
    ...{ fields, resource, appArgs, templates: {} },
    settings: Object.fromEntries(own.map(({ key, value }) => [key, value])),
  };
  return success({ name, submission, warnings: [], ...lifetimeOf(application) });
}

/** The gateway itself serves the Spark UI, and creates no other objects than Spark. */
function ofSparkApplication(application: SparkApplication): Result<NamedSubmission> {
  const options = { options: { disableUiService: true }, reservedKeys: "reject", driver: "template", md5 } as const;
  const checked = checkApplication(requestName, application, options);
  if (!checked.ok) return checked;
  const { input, translation, warnings } = checked.value;
  const { name, spec } = input;
  const issues = [
    ...suspendIssues("spec.suspend", spec.suspend),
    ...modeIssues(spec.mode),
    ...translation.objects("").map(({ kind }) => objectIssue(kind ?? "object")),
  ];
  if (issues.length > 0) return { ok: false, issues };
  const isNamed = (spec.driver.podName ?? spec.sparkConf?.[driverPodName.key] ?? "") !== "";
  const { namespace = "" } = application.metadata;
  // Without them, the gateway decides.
  const open = new Set([...(isNamed ? [] : [driverPodName.key]), ...(namespace === "" ? [namespaceEntry.key] : [])]);
  const settings = translation.settings.filter(({ key }) => !open.has(key));
  const { fields, resource: mainFile, appArgs, templates } = translation;
  return success({
    ...{ name, warnings, ...lifetimeOf(spec) },
    submission: {
      ...{ fields, resource: mainFile, appArgs, templates },
      settings: Object.fromEntries(settings.map(({ key, value }) => [key, value])),
    },
  });
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** Returns what the gateway must remember of the fields of an application; nothing if it runs once and is kept as others. */
function lifetimeOf({ restartPolicy, timeToLiveSeconds }: LifetimeFields): Pick<NewApplication, "lifetime"> {
  const policy = withDefaultRestart(restartPolicy);
  if (policy.type === "Never" && timeToLiveSeconds === undefined) return {};
  return { lifetime: { restartPolicy: policy, ...(timeToLiveSeconds !== undefined && { timeToLiveSeconds }) } };
}

function suspendIssues(path: string, suspend: boolean | undefined): readonly Issue[] {
  if (suspend !== true) return [];
  const advice = "Submit the application when it should run.";
  return [
    issue("SUBMIT_ERR_MANIFEST_RULE", {
      file: requestName,
      path,
      problem: "is true, which has no effect here",
      advice,
    }),
  ];
}

function modeIssues(mode: string | undefined): readonly Issue[] {
  if (mode !== "client") return [];
  const problem = "is client: then the driver would run in the gateway";
  const advice = "Use cluster, or run firesteel apply where the driver should run.";
  return [issue("SUBMIT_ERR_MANIFEST_RULE", { file: requestName, path: "spec.mode", problem, advice })];
}

function objectIssue(kind: string): Issue {
  const problem = `needs the creation of a ${kind}, which the gateway does not do`;
  const advice =
    "Remove monitoring, driverIngressOptions and batchSchedulerOptions, or submit it with firesteel apply or the Spark operator.";
  return issue("SUBMIT_ERR_MANIFEST_RULE", { file: requestName, path: "spec", problem, advice });
}
