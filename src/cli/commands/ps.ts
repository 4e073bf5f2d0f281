import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { ListedApplication } from "../../masters/kubernetes/applications/list-applications.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import type { ParsedOptions } from "../parsed-options.ts";
import { applicationJson, applicationRow, printApplications } from "../print-applications.ts";
import { redraw } from "../redraw.ts";
import { untilInterrupt } from "../until-interrupt.ts";

const usage = `Usage: firesteel ps [options]

List the applications whose drivers are in a cluster, the newest first: name, ID, state with its reason, executors that
run and that exist, age, and owner.

Options:
  -A, --all-namespaces    applications of all namespaces
  -n, --namespace NAME    namespace (default: that of the kubeconfig)
  --state STATE,…         only these states: pending, running, succeeded, failed, deleting, unknown
  --watch                 show changes until an interrupt: on a terminal as a table, elsewhere a line for each change
  --json                  one JSON object with a list applications; with --watch, a line of JSON for each change
  --context NAME          context of the kubeconfig (default: the current context)
  --master URL            k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig,
                          else the embedded one that runs)
  --conf, --properties-file and similar options are those of spark-submit
`;

const flags = ["-A", "--all-namespaces", "--watch", "--json"] as const;
const values = ["-n", "--namespace", "--state", "--context"] as const;
type Options = ParsedOptions<(typeof flags)[number], (typeof values)[number]>;

/** Runs `firesteel ps`. @returns the exit code */
export async function runPsCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const { own, positionals, rest } = parseInterleavedArgs(args, { flags, values });
  const { applicationStates } = await import("../../masters/kubernetes/applications/application-summary.ts");
  const states = own.values("--state").flatMap((value) => value.split(","));
  const allowed = applicationStates.join(", ");
  throwIssues([
    ...positionals.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })),
    ...states
      .filter((value) => applicationStates.every((state) => state !== value))
      .map((value) => issue("SUBMIT_ERR_ARG_VALUE", { option: "--state", value, allowed })),
  ]);
  const commandLine = parseCommandLineSettings(rest, { context: own.value("--context") });
  const { listedNamespace, withCluster } = await import("../with-cluster.ts");
  const machine = await withLauncherEnvironment(host);
  return withCluster({ host: machine, commandLine, openClient }, (reached) =>
    show(machine, own, { client: reached.client, namespace: listedNamespace(own, reached), states }),
  );
}

interface Shown {
  readonly client: KubeClient;
  /** Absent for all. */
  readonly namespace: string | undefined;
  readonly states: readonly string[];
}

async function show(host: Host, options: Options, { client, namespace, states }: Shown): Promise<number> {
  const hasNamespaces = namespace === undefined;
  const isSelected = ({ state }: ListedApplication) => states.length === 0 || states.includes(state);
  const table = () => ({ nowMs: host.clock.now(), hasNamespaces });
  if (options.has("--watch")) {
    const print = options.has("--json")
      ? changedLines((application) => JSON.stringify(applicationJson(application)))
      : host.stdout.isTerminal
        ? (applications: readonly ListedApplication[]) => redraw(printApplications(applications, table()))
        : changedLines((application) => applicationRow(application, table()).toSpliced(-2, 1).join("  "));
    const { watchApplications } = await import("../../masters/kubernetes/applications/watch-applications.ts");
    const { clock, random } = host;
    await untilInterrupt(host, (signal) =>
      watchApplications({ client, namespace, clock, random, signal }, (all) =>
        host.stdout.write(print(all.filter(isSelected))),
      ),
    );
    return exitCodes.ok;
  }
  const { listApplications } = await import("../../masters/kubernetes/applications/list-applications.ts");
  const applications = (await listApplications(client, namespace)).filter(isSelected);
  if (options.has("--json")) {
    const list = applications.map((application) => JSON.stringify(applicationJson(application)));
    host.stdout.write(`{"applications": [${list.map((line) => `\n  ${line}`).join(",")}\n]}\n`);
  } else if (applications.length === 0) {
    const where = namespace === undefined ? "any namespace" : `namespace ${namespace}`;
    host.stderr.write(`There is no ${states.length === 0 ? "" : `${states.join(" or ")} `}application in ${where}.\n`);
  } else host.stdout.write(printApplications(applications, table()));
  return exitCodes.ok;
}

/** Returns a function that prints the applications that have changed since its last call, in the order of their creation. */
function changedLines(print: (application: ListedApplication) => string) {
  let printed = new Map<string, string>();
  return (applications: readonly ListedApplication[]): string => {
    const lines = new Map(
      applications.map((application) => [application.submissionId, `${print(application)}\n`] as const),
    );
    const changed = [...lines].filter(([id, line]) => printed.get(id) !== line);
    printed = lines;
    return changed
      .map(([, line]) => line)
      .reverse()
      .join("");
  };
}
