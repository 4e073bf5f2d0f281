import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import { issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { sparkLog } from "../../../host/log.ts";
import { listApplications } from "../../../masters/kubernetes/applications/list-applications.ts";
import { withClient } from "../../../masters/kubernetes/connect/with-client.ts";
import { connectServerLabel } from "../../../masters/kubernetes/connect-server/server-label.ts";
import type { OpenClient } from "../../../masters/master-strategy.ts";
import { withEmbedded, withLauncherEnvironment } from "../../environment.ts";
import { exitCodes } from "../../exit-codes.ts";
import { parseCommandLineSettings } from "../../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../../parse-interleaved-args.ts";
import { applicationJson, printApplications } from "../../print-applications.ts";

/** Call of a subcommand of `firesteel connect`. */
export interface ConnectCall {
  readonly host: Host;
  /** Arguments after the subcommand. */
  readonly args: readonly string[];
  readonly openClient: OpenClient | undefined;
}

const flags = ["-A", "--all-namespaces", "--json"] as const;
const values = ["-n", "--namespace", "--context"] as const;

/** Runs `firesteel connect list`. @returns the exit code */
export async function listConnectServers({ host, args, openClient }: ConnectCall): Promise<number> {
  const { own, positionals, rest } = parseInterleavedArgs(args, { flags, values });
  throwIssues(positionals.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  const commandLine = parseCommandLineSettings(rest, { context: own.value("--context") });
  const machine = await withLauncherEnvironment(host);
  const log = sparkLog(machine, "WARN");
  return withEmbedded(machine, (openEmbedded) =>
    withClient(
      { host: machine, commandLine, openEmbedded, openClient, log },
      { entries: [namespaceEntry] },
      async ({ client, cluster: { conf } }) => {
        const hasNamespaces = own.has("-A") || own.has("--all-namespaces");
        const specified = own.value("--namespace") ?? own.value("-n") ?? client.defaultNamespace;
        const namespace = hasNamespaces ? undefined : (specified ?? conf.get(namespaceEntry));
        const servers = await listApplications(client, namespace, { driverLabel: connectServerLabel });
        if (own.has("--json")) {
          const list = servers.map((server) => JSON.stringify(applicationJson(server)));
          host.stdout.write(`{"servers": [${list.map((line) => `\n  ${line}`).join(",")}\n]}\n`);
        } else if (servers.length === 0) {
          const where = namespace === undefined ? "any namespace" : `namespace ${namespace}`;
          host.stderr.write(`There is no Spark Connect server in ${where}.\n`);
        } else host.stdout.write(printApplications(servers, { nowMs: host.clock.now(), hasNamespaces }));
        return exitCodes.ok;
      },
    ),
  );
}
