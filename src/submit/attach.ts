import { namespace as namespaceEntry } from "../conf/entries/submission.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { issuesOf } from "../errors/issue.ts";
import { orThrow, submitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type Log, sparkLog } from "../host/log.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import type { ConnectOptions } from "../kube-client/connect.ts";
import type { GivenSettings } from "../plan/invocation.ts";
import { appNameLabelKey, appSelectorLabel } from "../plan/labels.ts";
import { parseSubmissionId } from "../values/identity.ts";
import { accompanyDriver } from "./accompany/accompany.ts";
import { connectionEntries, connectionOptions, printMaster } from "./connection.ts";
import { findCluster } from "./find-cluster.ts";
import { type DriverSelection, findDrivers, selectDrivers } from "./operations/driver-selection.ts";
import type { OpenEmbedded } from "./resolve/enter-embedded.ts";
import { readSettings } from "./resolve/read-settings.ts";
import type { SubmitOutcome } from "./submit-outcome.ts";
import { toldOrUsualMaster } from "./told-master.ts";
import { waitingEntries, waitingWishes } from "./waiting-wishes.ts";
import { driverContainerOf } from "./watch/driver-end.ts";
import { interruption } from "./watch/interruption.ts";

/** Which driver is waited for, and how. */
export interface AttachCall {
  readonly host: Host;
  readonly given: GivenSettings;
  /** `namespace:pod`, a pod, the beginning of its name and `*`, or an application's id. */
  readonly id: string;
  /** @default stderr, in Spark's layout */
  readonly log?: Log | undefined;
  /** @default over the network */
  readonly openClient?: ((host: Host, options: ConnectOptions) => Promise<KubeClient>) | undefined;
  readonly openEmbedded?: OpenEmbedded | undefined;
}

/**
 * Waits for a driver that exists already, as the command would that submitted it; also for one that has ended.
 *
 * @throws SUBMIT_ERR_DRIVER_MISSING, SUBMIT_ERR_DRIVER_AMBIGUOUS, SUBMIT_ERR_SUBMISSION_ID_…, SUBMIT_ERR_SETTING_…, SUBMIT_ERR_KUBE_…
 */
export async function attach(call: AttachCall): Promise<SubmitOutcome> {
  const { host, given, id, log = sparkLog(host), openClient = overNetwork } = call;
  const read = readSettings(host, given);
  throwIssues(read.issues);
  const master = await toldOrUsualMaster(host, { given, settings: read.settings, env: host.env });
  const cluster = await findCluster({ ...call, read, master });
  const { conf, strict } = cluster;
  const parsed = parseSubmissionId(id);
  throwIssues([
    ...conf.check([namespaceEntry, ...connectionEntries, ...waitingEntries]),
    ...issuesOf(parsed),
  ]);
  const client = await openClient(host, connectionOptions(cluster, log));
  const interrupted = interruption(host);
  try {
    const selection = selectDrivers(orThrow(parsed), { client, conf, strict: false });
    const pod = theOnly(await findDrivers(client, selection), selection);
    const { name = "", namespace = "", labels = {} } = pod.metadata ?? {};
    const app = { name: labels[appNameLabelKey] ?? name, id: labels[appSelectorLabel] ?? "" };
    const { end, diagnosis } = await accompanyDriver({
      ...{ host, client, log, interrupted, app, strict },
      ...{ traits: traitsOf(conf.version.line), wishes: waitingWishes(conf) },
      pod: asUnseen(pod),
      container: driverContainerOf(pod),
    });
    return {
      master: printMaster(cluster),
      appName: app.name,
      appId: app.id,
      namespace,
      podName: name,
      strict,
      ...{ end, diagnosis },
    };
  } finally {
    interrupted.stop();
    client.close();
  }
}

async function overNetwork(host: Host, options: ConnectOptions): Promise<KubeClient> {
  const { connect } = await import("../kube-client/connect.ts");
  return connect(host, options);
}

function theOnly(pods: readonly Pod[], { kind, namespace, name }: DriverSelection): Pod {
  const [pod, ...others] = pods;
  const id = kind === "prefix" ? `${name}*` : name;
  if (pod === undefined) throw submitError("SUBMIT_ERR_DRIVER_MISSING", { id, namespace });
  if (others.length === 0) return pod;
  const ids = pods.map(({ metadata }) => `${metadata?.namespace}:${metadata?.name}`);
  throw submitError("SUBMIT_ERR_DRIVER_AMBIGUOUS", { id, ids });
}

/** The watch of a pod of no known version tells first how it is now: of one that has ended nothing else would come. */
export function asUnseen(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: "" } };
}
