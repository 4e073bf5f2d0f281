import { behaviorsOf } from "../../../conf/behaviors.ts";
import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { ReachedCluster } from "../../../masters/kubernetes/connect/with-client.ts";
import { connectServerLabel, requireConnectServer } from "../../../masters/kubernetes/connect-server/server-label.ts";
import { killDrivers } from "../../../masters/kubernetes/operations/kill.ts";
import { withLauncherEnvironment } from "../../environment.ts";
import { exitCodes } from "../../exit-codes.ts";
import { parseCommandLineSettings } from "../../parse-command-line-settings.ts";
import { withCluster } from "../../with-cluster.ts";
import { parseTarget, type Target } from "../operation-target.ts";
import { withTargetDriver } from "../with-target-driver.ts";
import type { ConnectCall } from "./list.ts";

/** Runs `firesteel connect stop`. @returns the exit code: 1 if no server matches */
export async function stopConnectServers({ host, args, openClient }: ConnectCall): Promise<number> {
  const target = parseTarget(args, { flags: ["--all"] });
  const isNamed = target.id !== undefined && !target.id.endsWith(":*");
  if (target.has("--all") === isNamed)
    throwIssues([
      isNamed
        ? issue("SUBMIT_ERR_OPTIONS_EXCLUSIVE", { first: "--all", second: "an ID" })
        : issue("SUBMIT_ERR_ARGUMENT_MISSING", {
            ...{ command: "connect stop", what: "a server", allowed: "an ID, or --all" },
            example: "spark-connect",
          }),
    ]);
  if (target.has("--all")) return stopAll({ host, args, openClient }, target);
  return withTargetDriver(host, { command: "connect stop", target, openClient }, async (reached) => {
    requireConnectServer(reached.pod);
    await stop(host, reached, reached.pod);
    return exitCodes.ok;
  });
}

async function stopAll({ host, openClient }: ConnectCall, { id, rest }: Target<"--all">): Promise<number> {
  const commandLine = parseCommandLineSettings(rest);
  const machine = await withLauncherEnvironment(host);
  return withCluster({ host: machine, commandLine, openClient }, async (reached) => {
    const { client, cluster } = reached;
    const namespace = id?.replace(/:\*$/, "") ?? client.defaultNamespace ?? cluster.conf.get(namespaceEntry);
    const location = { type: resourceTypes.pod, namespace, labelSelector: connectServerLabel };
    const { items } = await client.list<Pod>(location);
    if (items.length === 0) host.stderr.write(`There is no Spark Connect server in namespace ${namespace}.\n`);
    for (const pod of items) await stop(host, reached, pod);
    return items.length === 0 ? exitCodes.failed : exitCodes.ok;
  });
}

/** Deletes a server, and the files that its submission uploaded. */
async function stop(host: Host, { client, cluster: { conf } }: ReachedCluster, { metadata }: Pod): Promise<void> {
  const { namespace = "", name = "" } = metadata ?? {};
  await killDrivers({
    ...{ host, conf, client, selection: { kind: "pod", namespace, name } },
    ...{ behaviors: behaviorsOf({}), traits: traitsOf(conf.version.line), graceSeconds: undefined },
  });
  host.stdout.write(`${namespace}:${name} stopped\n`);
}
