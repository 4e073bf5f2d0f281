import { createHash } from "node:crypto";
import { driverPodName } from "../../conf/entries/driver.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { failure, type Issue, issue, type Result, success } from "../../errors/issue.ts";
import { messageOf } from "../../errors/message-of.ts";
import { checkApplication } from "../../spark-application/check-application.ts";
import { withDefaultRestart } from "../../spark-application/defaults.ts";
import { isOwnFormat, readOwnApplication, translateOwn } from "../../spark-application/own/translate-own.ts";
import { parseDocuments } from "../../spark-application/read/parse-documents.ts";
import { isApplication, readApplication } from "../../spark-application/read/read-application.ts";
import type { LifetimeFields } from "../../spark-application/state/status.ts";
import type { NewApplication } from "../model/applications.ts";

/** A submission with the name of its application. */
export interface NamedSubmission extends Pick<NewApplication, "submission" | "lifetime"> {
  readonly name: string;
  /** Sentences about fields that have no effect, or another one than with the Spark operator. */
  readonly warnings: readonly string[];
}

/** Name of the request in messages. */
const source = "the request";

/**
 * Reads an application in Firesteel's own format or a SparkApplication, as `firesteel apply` does. Its driver gets a name of its
 * own, because the same application can be submitted again.
 *
 * Errors: SUBMIT_ERR_MANIFEST_…, every problem.
 */
export async function readSubmission(text: string, format: "json" | "yaml"): Promise<Result<NamedSubmission>> {
  const document = format === "json" ? parseJson(text) : await parseYaml(text);
  if (!document.ok) return document;
  return isOwnFormat(document.value) ? readOwn(document.value) : readSparkApplication(document.value);
}

function readOwn(document: unknown): Result<NamedSubmission> {
  const application = readOwnApplication(source, document);
  if (!application.ok) return application;
  const { name, conf = {}, suspend } = application.value;
  const issues = suspendIssues("suspend", suspend);
  if (issues.length > 0) return { ok: false, issues };
  const { fields, settings, resource, appArgs } = translateOwn(source, application.value);
  const own = settings.filter(({ key }) => key !== driverPodName.key || conf[driverPodName.key] !== undefined);
  const submission = {
    ...{ fields, resource, appArgs, templates: {} },
    settings: Object.fromEntries(own.map(({ key, value }) => [key, value])),
  };
  return success({ name, submission, warnings: [], ...lifetimeOf(application.value) });
}

/** Reads a SparkApplication. The gateway itself serves its Spark UI, and creates no other objects than Spark. */
function readSparkApplication(document: unknown): Result<NamedSubmission> {
  const resource = readApplication(source, document);
  if (!resource.ok) return resource;
  if (!isApplication(resource.value)) {
    const [found, allowed] = ["a ScheduledSparkApplication", "a SparkApplication, or an application in the own format"];
    return failure("SUBMIT_ERR_MANIFEST_KIND", { file: source, found, allowed });
  }
  const options = { options: { disableUiService: true }, reservedKeys: "reject", driver: "template", md5 } as const;
  const checked = checkApplication(source, resource.value, options);
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
  const { namespace = "" } = resource.value.metadata;
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
    issue("SUBMIT_ERR_MANIFEST_RULE", { file: source, path, problem: "is true, which has no effect here", advice }),
  ];
}

function modeIssues(mode: string | undefined): readonly Issue[] {
  if (mode !== "client") return [];
  const problem = "is client: then the driver would run in the gateway";
  const advice = "Use cluster, or run firesteel apply where the driver should run.";
  return [issue("SUBMIT_ERR_MANIFEST_RULE", { file: source, path: "spec.mode", problem, advice })];
}

function objectIssue(kind: string): Issue {
  const problem = `needs the creation of a ${kind}, which the gateway does not do`;
  const advice =
    "Remove monitoring, driverIngressOptions and batchSchedulerOptions, or submit it with firesteel apply or the Spark operator.";
  return issue("SUBMIT_ERR_MANIFEST_RULE", { file: source, path: "spec", problem, advice });
}

function parseJson(text: string): Result<unknown> {
  try {
    return success(JSON.parse(text));
  } catch {
    return failure("SUBMIT_ERR_MANIFEST_FIELD", { file: source, path: "body", problem: "is not valid JSON" });
  }
}

async function parseYaml(text: string): Promise<Result<unknown>> {
  const invalid = (problem: string) => failure("SUBMIT_ERR_MANIFEST_FIELD", { file: source, path: "body", problem });
  try {
    const [document, ...others] = await parseDocuments(text);
    return document === undefined || others.length > 0 ? invalid("is not one YAML document") : success(document);
  } catch (error) {
    return invalid(`is not valid YAML: ${messageOf(error)}`);
  }
}
