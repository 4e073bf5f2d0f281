import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { listApplications } from "../../masters/kubernetes/applications/list-applications.ts";
import { withClient } from "../../masters/kubernetes/connect/with-client.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { OpenEmbedded } from "../../resolve/destination.ts";
import { orRunningCluster } from "../default-master.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import type { Suggestion } from "./completion-data.ts";

const maxListMs = 1000;

interface DriversCall {
  /** Options that select the cluster and the namespace, e.g. `--master=k8s://embedded`. */
  readonly clusterOptions: readonly string[];
  /** Start of the ID. */
  readonly current: string;
  readonly openClient?: OpenClient | undefined;
}

/**
 * Lists IDs of drivers that a text can begin. Waits for the cluster for a second at most. Starts no cluster and no program: neither
 * spark-env.sh nor a credential plugin, which could ask questions or run for long.
 */
export async function findDrivers(host: Host, call: DriversCall): Promise<readonly Suggestion[]> {
  const done = new AbortController();
  const limit = host.clock.sleep(maxListMs, { signal: done.signal }).then(() => []);
  try {
    return await Promise.race([listDrivers(host, call), limit]);
  } finally {
    done.abort();
  }
}

async function listDrivers(host: Host, { clusterOptions, current, openClient }: DriversCall) {
  const { own, rest } = parseInterleavedArgs(clusterOptions, {
    flags: [],
    values: ["--namespace", "-n", "--context"] as const,
  });
  const machine = overrideHost(host, { spawn: rejectProgram });
  const specified = parseCommandLineSettings(rest, { context: own.value("--context") });
  const commandLine = await orRunningCluster(machine, specified);
  const call = { host: machine, commandLine, openClient, openEmbedded: openRunning(machine), log: () => {} };
  return withClient(call, { entries: [namespaceEntry] }, async ({ client, cluster }) => {
    const [, inId] = /^([^:]+):/.exec(current) ?? [];
    const named = inId ?? own.value("--namespace") ?? own.value("-n") ?? client.defaultNamespace;
    const applications = await listApplications(client, named ?? cluster.conf.get(namespaceEntry));
    const ids = applications.flatMap(({ submissionId, podName, appId, appName, state }) => {
      const text = current.includes(":") ? submissionId : podName;
      const ofApp = appId?.startsWith(current) === true && current.startsWith("spark-") ? [appId] : [];
      return [text, ...ofApp].map((id) => ({ text: id, description: `${appName}, ${state}` }));
    });
    return ids.filter(({ text }) => text.startsWith(current));
  });
}

function rejectProgram(command: string): never {
  throw new Error(`${command} is not started for a completion`);
}

function openRunning(host: Host): OpenEmbedded {
  return async (options) => {
    const { openBackground } = await import("../embedded.ts");
    return openBackground(host, options);
  };
}
