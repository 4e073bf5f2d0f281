import { issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { listApplications } from "../../../masters/kubernetes/applications/list-applications.ts";
import { connectServerLabel } from "../../../masters/kubernetes/connect-server/server-label.ts";
import type { OpenClient } from "../../../masters/master-strategy.ts";
import { withLauncherEnvironment } from "../../environment.ts";
import { exitCodes } from "../../exit-codes.ts";
import { parseCommandLineSettings } from "../../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../../parse-interleaved-args.ts";
import { applicationJson, printApplications } from "../../print-applications.ts";
import { listedNamespace, withCluster } from "../../with-cluster.ts";

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
  return withCluster({ host: machine, commandLine, openClient }, async (reached) => {
    const namespace = listedNamespace(own, reached);
    const servers = await listApplications(reached.client, namespace, { driverLabel: connectServerLabel });
    if (own.has("--json")) {
      const list = servers.map((server) => JSON.stringify(applicationJson(server)));
      host.stdout.write(`{"servers": [${list.map((line) => `\n  ${line}`).join(",")}\n]}\n`);
    } else if (servers.length === 0) {
      const where = namespace === undefined ? "any namespace" : `namespace ${namespace}`;
      host.stderr.write(`There is no Spark Connect server in ${where}.\n`);
    } else {
      const table = { nowMs: host.clock.now(), hasNamespaces: namespace === undefined };
      host.stdout.write(printApplications(servers, table));
    }
    return exitCodes.ok;
  });
}
