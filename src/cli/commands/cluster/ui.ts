import { isIPv4 } from "node:net";
import { submitError } from "../../../errors/submit-error.ts";
import type { Clock, Host } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Transport } from "../../../kube/transport.ts";
import type { Pod } from "../../../kube/types.ts";
import { connect } from "../../../kube-client/connect.ts";
import { httpTransport } from "../../../kube-client/http.ts";
import { readBeginning } from "../../../kube-client/lines.ts";
import { timeLimit } from "../../../kube-client/time-limit.ts";
import { appNameLabelKey, appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { requireRunningCluster } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";

/** Address of a driver's UI. */
interface DriverUi {
  readonly namespace: string;
  readonly pod: string;
  /** Application ID, e.g. `spark-0123456789abcdef`. */
  readonly application: string;
  /** Application name, as in the label. */
  readonly name: string;
  /** URL of the pod itself: pods have loopback addresses of this machine, so that no port forwarding is needed. */
  readonly url: string;
}

const readyTimeoutMs = 30_000;
const requestTimeoutMs = 10_000;
const pollMs = 200;

/** Runs `cluster ui [POD|APP]`: prints the URL of a running driver's UI when the UI responds. @throws SubmitError */
export async function showUi(host: Host, args: readonly string[]): Promise<number> {
  const flags = parseOptions(args, { flags: ["--json"], values: ["--name"], maxPositionals: 1 });
  const name = clusterName(flags);
  const record = await requireRunningCluster(host, name);
  const client = await connect(host, {
    server: record.url,
    log: () => {},
    requestTimeoutMs: 10_000,
    connectionTimeoutMs: 10_000,
    access: { kind: "known", authority: record.certificateAuthority, token: record.token },
  });
  try {
    const labelSelector = `${roleLabel}=driver`;
    const { items } = await client.list<Pod>({ type: resourceTypes.pod, labelSelector });
    const ui = chooseUi(items, flags.positionals[0]);
    await waitForUi(host.clock, ui, name);
    host.stdout.write(flags.has("--json") ? `${JSON.stringify(ui, undefined, 2)}\n` : `${ui.url}\n`);
    return 0;
  } finally {
    client.close();
  }
}

/** Chooses the UI of a driver by its pod, application ID or application name; by default of the newest driver. @throws SUBMIT_ERR_UI_NOT_FOUND */
export function chooseUi(pods: readonly Pod[], id: string | undefined): DriverUi {
  const uis = driverUis(pods);
  const ui = uis.find((candidate) => matches(candidate, id));
  if (ui !== undefined) return ui;
  throw submitError("SUBMIT_ERR_UI_NOT_FOUND", { name: id ?? "", known: uis.map(({ pod }) => pod) });
}

/** Lists the UIs of running drivers, newest first. */
function driverUis(pods: readonly Pod[]): readonly DriverUi[] {
  return pods
    .filter(({ status }) => status?.phase === "Running" && isIPv4(status.podIP ?? ""))
    .sort((a, b) => (creationTime(a) < creationTime(b) ? 1 : -1))
    .flatMap(({ metadata = {}, spec, status }) => {
      const { namespace = "", name: pod = "", labels = {} } = metadata;
      const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
      const port = ports.find(({ name }) => name === "spark-ui")?.containerPort;
      const url = `http://${status?.podIP}:${port}`;
      if (port === undefined || !URL.canParse(url)) return [];
      return [
        {
          ...{ namespace, pod },
          application: labels[appSelectorLabel] ?? "",
          name: labels[appNameLabelKey] ?? "",
          url,
        },
      ];
    });
}

function creationTime({ metadata }: Pod): string {
  return String(metadata?.creationTimestamp ?? "");
}

function matches({ namespace, pod, application, name }: DriverUi, id: string | undefined): boolean {
  return id === undefined || [pod, `${namespace}:${pod}`, application, name].includes(id);
}

/**
 * Waits until Spark's web server responds, some seconds after the driver's pod has started.
 *
 * @param cluster name of the cluster
 * @throws SUBMIT_ERR_UI_NO_RESPONSE
 */
export async function waitForUi(clock: Clock, ui: DriverUi, cluster: string): Promise<void> {
  const deadline = clock.monotonic() + readyTimeoutMs;
  const { transport, close } = await httpTransport({
    ...{ server: new URL(ui.url), clock, connectionTimeoutMs: readyTimeoutMs, proxy: undefined },
    tls: { trustsAll: false, ignoresHostName: false },
  });
  try {
    while (!(await isReady(transport, clock))) {
      if (clock.monotonic() > deadline) throw submitError("SUBMIT_ERR_UI_NO_RESPONSE", { ...ui, cluster });
      await clock.sleep(pollMs);
    }
  } finally {
    close();
  }
}

/** Checks for JSON: while it starts, Spark responds to every request with a text that asks to wait. */
async function isReady(transport: Transport, clock: Clock): Promise<boolean> {
  const limit = timeLimit(clock, { ms: requestTimeoutMs });
  try {
    const request = { method: "GET", path: "/api/v1/applications", headers: {}, signal: limit.signal } as const;
    const { body } = await transport(request);
    const { bytes } = await readBeginning(body, 1);
    return bytes.toString("latin1") === "[";
  } catch {
    return false;
  } finally {
    limit.release();
  }
}
