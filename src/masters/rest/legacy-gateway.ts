import { masterRestEnabled } from "../../conf/entries/app.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { substitutionSources } from "../../resolve/substitution-sources.ts";

/** Returns the gateway of a standalone master for a submission. `undefined` if its setting is invalid, which is reported later. */
export function standaloneGateway(submission: ResolvedSubmission): "rest" | "legacy" | undefined {
  const { master, read, version, host, behaviors } = submission;
  const conf = new SparkConf(read.settings.values(), version, substitutionSources(host));
  const enabled = conf.read(masterRestEnabled);
  if (master.manager !== "standalone" || !enabled.ok) return undefined;
  const isSettingUsed = behaviors.restGateway === "spark" || conf.has(masterRestEnabled);
  return isSettingUsed && !enabled.value ? "legacy" : "rest";
}

/** Submits over Spark's RPC with the JVM of a local Spark. Returns the exit code; `undefined` without a local Spark. @throws SubmitError */
export async function submitToLegacyGateway(submission: ResolvedSubmission): Promise<number | undefined> {
  const { findLaunch } = await import("../jvm/find-launch.ts");
  if (findLaunch(submission) === undefined) return undefined;
  const { runInJvm } = await import("../jvm/jvm-master.ts");
  return runInJvm(submission);
}

/** Returns the submission for another attempt after its gateway did not respond: without the gateway, and without repeated output. */
export function withoutGateway(submission: ResolvedSubmission): ResolvedSubmission {
  const { key } = masterRestEnabled;
  const off = { key, value: "false", origin: { kind: "client", why: "no gateway responds" } } as const;
  const { invocation, read } = submission;
  const settings = [...invocation.settings.filter((setting) => setting.key !== key), off];
  return {
    ...submission,
    invocation: { ...invocation, settings, verbose: false },
    read: { ...read, settings: new Map([...read.settings, [key, off]]) },
  };
}
