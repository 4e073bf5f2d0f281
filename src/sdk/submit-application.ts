import { firesteelArchive } from "../conf/entries/firesteel.ts";
import { issue } from "../errors/issue.ts";
import { isSubmitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { ConnectOptions } from "../kube-client/connect-options.ts";
import { kubernetesMaster } from "../masters/kubernetes/kubernetes-master.ts";
import type { SubmitOutcome } from "../masters/submit-outcome.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { readSettings } from "../resolve/read-settings.ts";
import { resolveSubmission } from "../resolve/resolve-submission.ts";
import { specifiedOrDefaultMaster } from "../resolve/specified-master.ts";
import { readSparkHome } from "../spark/spark-home.ts";
import type { Application } from "./application.ts";
import { interruptibleHost } from "./library-host.ts";
import { rejectEmbedded } from "./reject-embedded.ts";
import type { Session } from "./session.ts";
import type { SubmitOptions } from "./submit-options.ts";
import type { LibrarySubmission } from "./to-invocation.ts";

type Call = Pick<SubmitOptions, "steps" | "signal">;

/**
 * Submits an application to Kubernetes in cluster mode, without waiting for it. An abort rolls back what was created, unless the
 * driver exists.
 *
 * @throws SubmitError with every problem; the signal's reason
 */
export async function submitApplication(
  session: Session,
  submission: LibrarySubmission,
  call: Call,
): Promise<Application> {
  const host = interruptibleHost(await session.host(), call.signal);
  const clusters = await session.clusters();
  const invocation = await withMaster(host, submission);
  let connection: ConnectOptions | undefined;
  const openClient = clusters.openClient((options) => {
    connection = options;
  });
  const outcome = await submitToKubernetes(session, { ...submission, invocation }, { host, call, openClient });
  if (outcome.podName === undefined || connection === undefined) throw new Error("A submission has no pod.");
  const { end, appName } = outcome;
  if (end.kind === "interrupted") {
    for (const { message } of end.left) session.log("WARN", "Client", message);
    throw call.signal?.reason;
  }
  const cluster = await clusters.reach(connection);
  return session.follow({ cluster, pod: end.pod, appName, commandLine: invocation, archives: "asConfigured" });
}

interface Means {
  readonly host: Host;
  readonly call: Call;
  readonly openClient: Parameters<typeof kubernetesMaster.submit>[1]["openClient"];
}

async function submitToKubernetes(
  { log }: Session,
  { invocation, issues }: LibrarySubmission,
  { host, call, openClient }: Means,
): Promise<SubmitOutcome> {
  const home = host.env["SPARK_HOME"] ?? "";
  const localSpark = () => (home === "" ? undefined : readSparkHome(host, home)?.version);
  const submission = await resolveSubmission({ host, log, invocation, issues, localSpark });
  const { strategy, text, mode } = submission.master;
  if (strategy !== "kubernetes")
    throwIssues([...submission.issues, issue("SUBMIT_ERR_MASTER_NOT_SERVED", { master: text, mode })]);
  return kubernetesMaster.submit(submission, {
    openClient,
    openEmbedded: rejectEmbedded,
    extraSteps: call.steps,
    waitEntries: [firesteelArchive],
  });
}

/** Adds the master of the settings, the environment or the kubeconfig. @throws SubmitError with every problem, if there is none */
async function withMaster(host: Host, { invocation, issues }: LibrarySubmission): Promise<SubmitInvocation> {
  const { settings } = readSettings(host, invocation);
  try {
    const master = await specifiedOrDefaultMaster(host, { commandLine: invocation, settings, env: host.env });
    return { ...invocation, fields: { ...invocation.fields, master } };
  } catch (error) {
    if (isSubmitError(error)) throwIssues([...issues, ...error.issues]);
    throw error;
  }
}
