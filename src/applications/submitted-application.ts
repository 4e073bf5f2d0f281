import { driverPodName } from "../conf/entries/driver.ts";
import { namespace } from "../conf/entries/submission.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import { readSettings } from "../resolve/read-settings.ts";
import { resolveSparkVersion } from "../resolve/resolve-spark-version.ts";
import { substitutionSources } from "../resolve/substitution-sources.ts";
import type { ApplicationRun } from "./application-run.ts";
import type { AppliedApplication } from "./applied-application.ts";
import { digestOf } from "./digest-of.ts";
import { submissionDigest } from "./submission-digest.ts";

/** Inputs of the settings with which an application is submitted. */
export type SubmissionInput = Pick<ApplicationRun, "host" | "overrides" | "localSpark">;

/**
 * Returns an application with the namespace, the pod name and the digest of its submission: options, profiles and properties
 * files can set or change them, too.
 *
 * @throws SUBMIT_ERR_PROPERTIES_…, SUBMIT_ERR_SPARK_VERSION, SUBMIT_ERR_SETTING_…
 */
export function submittedApplication(
  { host: machine, overrides, localSpark = () => undefined }: SubmissionInput,
  application: AppliedApplication,
): AppliedApplication {
  const submission = application.submit(machine, overrides);
  const { host, invocation } = submission;
  const { settings, issues } = readSettings(host, invocation);
  throwIssues(issues);
  const version = orThrow(resolveSparkVersion({ settings, env: host.env, localSpark }));
  const conf = new SparkConf(settings.values(), version, substitutionSources(host));
  throwIssues(conf.check([namespace, driverPodName]));
  let digest: string | undefined;
  return {
    ...application,
    // A getter: only some commands need it, and it reads all local files.
    get digest() {
      digest ??= digestOf([application.digest, submissionDigest(submission, settings)]);
      return digest;
    },
    namespace: conf.get(namespace),
    podName: conf.get(driverPodName) ?? application.podName,
  };
}
