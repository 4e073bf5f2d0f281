import { masterRestEnabled } from "../../conf/entries/app.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { substitutionSources } from "../../resolve/substitution-sources.ts";

/** Returns the gateway of a standalone master for a submission. `undefined` if its setting is invalid, which is reported later. */
export function standaloneGateway({
  master,
  read,
  version,
  host,
  behaviors,
}: ResolvedSubmission): "rest" | "legacy" | undefined {
  const conf = new SparkConf(read.settings.values(), version, substitutionSources(host));
  const enabled = conf.read(masterRestEnabled);
  if (master.manager !== "standalone" || !enabled.ok) return undefined;
  const isLeft = behaviors.restGateway === "spark" || conf.has(masterRestEnabled);
  return isLeft && !enabled.value ? "legacy" : "rest";
}

/**
 * Lets the JVM of a Spark on this machine submit over Spark's RPC, which nothing else speaks: gives the exit code, and `undefined` where
 * there is no such Spark.
 *
 * @throws SubmitError
 */
export async function submitToLegacyGateway(submission: ResolvedSubmission): Promise<number | undefined> {
  const { findLaunch } = await import("../jvm/find-launch.ts");
  if (findLaunch(submission) === undefined) return undefined;
  const { runInJvm } = await import("../jvm/jvm-master.ts");
  return runInJvm(submission);
}

/** Returns the submission for another attempt after its gateway did not respond: without the gateway, and without repeated output. */
export function withoutGateway(submission: ResolvedSubmission): ResolvedSubmission {
  const { key } = masterRestEnabled;
  const off = { key, value: "false", origin: { kind: "client", why: "no gateway answers" } } as const;
  const { invocation, read } = submission;
  const settings = [...invocation.settings.filter((setting) => setting.key !== key), off];
  return {
    ...submission,
    invocation: { ...invocation, settings, verbose: false },
    read: { ...read, settings: new Map([...read.settings, [key, off]]) },
  };
}
