import { driverPodName } from "../conf/entries/driver.ts";
import { namespace } from "../conf/entries/submission.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import { readSettings } from "../resolve/read-settings.ts";
import { resolveSparkVersion } from "../resolve/resolve-spark-version.ts";
import { substitutionSources } from "../resolve/substitution-sources.ts";
import type { ApplicationRun } from "./application-run.ts";
import type { AppliedApplication } from "./applied-application.ts";

/** Inputs of the settings with which an application is submitted. */
export type SubmissionInput = Pick<ApplicationRun, "host" | "overrides" | "localSpark">;

/**
 * Returns an application with the namespace and the pod name of its submission: options, profiles and properties files can set
 * them, too.
 *
 * @throws SUBMIT_ERR_PROPERTIES_…, SUBMIT_ERR_SPARK_VERSION, SUBMIT_ERR_SETTING_…
 */
export function submittedApplication(
  { host: machine, overrides, localSpark = () => undefined }: SubmissionInput,
  application: AppliedApplication,
): AppliedApplication {
  const { host, invocation } = application.submit(machine, overrides);
  const { settings, issues } = readSettings(host, invocation);
  throwIssues(issues);
  const version = orThrow(resolveSparkVersion({ settings, env: host.env, localSpark }));
  const conf = new SparkConf(settings.values(), version, substitutionSources(host));
  throwIssues(conf.check([namespace, driverPodName]));
  return {
    ...application,
    namespace: conf.get(namespace),
    podName: conf.get(driverPodName) ?? application.podName,
  };
}
