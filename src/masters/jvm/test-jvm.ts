import { parseCommandLine } from "../../command-line/parse.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import { sparkLog } from "../../host/log.ts";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import { type ResolvedSubmission, resolveSubmission } from "../../resolve/resolve-submission.ts";
import { runInJvm } from "./jvm-master.ts";
import { sparkFiles } from "./test-launch.ts";

/** Environment with a local Spark and Java. */
export const sparkEnv = { SPARK_HOME: "/spark", JAVA_HOME: "/java" };

/** Status of an embedded cluster. */
function embeddedCluster(sparkVersion: string | undefined) {
  const url = "https://127.90.0.1:6443";
  const image = `spark:${sparkVersion}`;
  return {
    ...{ url, driverMaster: url, certificateAuthority: "-----BEGIN", token: "the-token" },
    machineName: "host.firesteel.internal",
    defaults: { image, serviceAccountName: "spark", uploadPath: "/uploads" },
  };
}

async function resolvedSubmission(
  argv: readonly string[],
  options: TestHostOptions,
): Promise<{ submission: ResolvedSubmission; host: TestHost }> {
  const parsed = parseCommandLine(argv, "4.3");
  if (!parsed.ok || parsed.value.action !== "submit") throw new Error("no submission");
  const host = testHost({ spawn: (child) => child.exit(3), ...options });
  const submission = await resolveSubmission({ host, log: sparkLog(host), invocation: parsed.value });
  return { submission, host };
}

const openEmbedded = async (options: { sparkVersion: string | undefined }) => embeddedCluster(options.sparkVersion);

/** Runs a command line whose child ends with the exit code 3, and returns what it started. */
export async function startInJvm(argv: readonly string[], options: TestHostOptions = {}) {
  const machine = { env: sparkEnv, files: sparkFiles, ...options };
  const { submission, host } = await resolvedSubmission(argv, machine);
  const code = await runInJvm(submission, { openEmbedded });
  const [child] = host.children;
  if (child === undefined) throw new Error("nothing was started");
  return { code, host, command: child.command, args: child.args, env: child.options.env ?? {} };
}

/** Runs a command line that is rejected, and returns its issues. */
export async function rejectedStart(argv: readonly string[], options: TestHostOptions = {}) {
  const { submission, host } = await resolvedSubmission(argv, { env: sparkEnv, files: sparkFiles, ...options });
  const error: unknown = await runInJvm(submission, { openEmbedded }).catch((reason: unknown) => reason);
  const issues = isSubmitError(error) ? error.issues.map(({ code, message }) => `${code}: ${message}`) : [];
  return { issues, error, host };
}

/** Arguments of an application. */
export const appArgs = ["--class", "X", "a.jar", "1"];
