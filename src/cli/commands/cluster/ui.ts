import { submitError } from "../../../errors/submit-error.ts";
import type { Clock, Host } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Transport } from "../../../kube/transport.ts";
import type { Pod } from "../../../kube/types.ts";
import { connect } from "../../../kube-client/connect.ts";
import { httpTransport } from "../../../kube-client/http.ts";
import { readText } from "../../../kube-client/lines.ts";
import { appNameLabelKey, appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { findRunningCluster } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";

/** Where a driver serves its UI. */
export interface DriverUi {
  readonly namespace: string;
  readonly pod: string;
  /** `spark-…` */
  readonly application: string;
  /** As the label has it. */
  readonly name: string;
  /** Pods have loopback addresses of this machine, so nothing needs to be forwarded. */
  readonly url: string;
}

const patienceMs = 30_000;
const pollMs = 200;

/** `cluster ui [POD|APP]`: the address of a running driver's UI, once it answers. @throws SubmitError */
export async function showUi(host: Host, args: readonly string[]): Promise<number> {
  const flags = parseOptions(args, { flags: ["--json"], values: ["--name"], maxPositionals: 1 });
  const name = clusterName(flags);
  const record = await findRunningCluster(host, name);
  if (record === undefined) throw submitError("SUBMIT_ERR_CLUSTER_NOT_FOUND", { name });
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
    const ui = chooseUi(items, flags.words[0]);
    await untilServed(host.clock, ui);
    host.stdout.write(flags.has("--json") ? `${JSON.stringify(ui, undefined, 2)}\n` : `${ui.url}\n`);
    return 0;
  } finally {
    client.close();
  }
}

/** The UI of the driver that is meant by its pod, application or name; by nothing: the youngest. @throws SUBMIT_ERR_UI_NOT_FOUND */
export function chooseUi(pods: readonly Pod[], word: string | undefined): DriverUi {
  const uis = driverUis(pods);
  const ui = uis.find((candidate) => isReserved(candidate, word));
  if (ui !== undefined) return ui;
  throw submitError("SUBMIT_ERR_UI_NOT_FOUND", { name: word ?? "", known: uis.map(({ pod }) => pod) });
}

/** Of drivers that run, the youngest first. */
function driverUis(pods: readonly Pod[]): readonly DriverUi[] {
  return pods
    .filter(({ status }) => status?.phase === "Running" && (status.podIP ?? "") !== "")
    .sort((a, b) => (bornOf(a) < bornOf(b) ? 1 : -1))
    .flatMap(({ metadata = {}, spec, status }) => {
      const { namespace = "", name: pod = "", labels = {} } = metadata;
      const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
      const port = ports.find(({ name }) => name === "spark-ui")?.containerPort;
      if (port === undefined) return [];
      return [
        {
          ...{ namespace, pod },
          application: labels[appSelectorLabel] ?? "",
          name: labels[appNameLabelKey] ?? "",
          url: `http://${status?.podIP}:${port}`,
        },
      ];
    });
}

function bornOf({ metadata }: Pod): string {
  return String(metadata?.creationTimestamp ?? "");
}

function isReserved({ namespace, pod, application, name }: DriverUi, word: string | undefined): boolean {
  return word === undefined || [pod, `${namespace}:${pod}`, application, name].includes(word);
}

/** Waits until Spark's web server answers; a driver's pod runs some seconds before. @throws SUBMIT_ERR_UI_NO_RESPONSE */
export async function untilServed(clock: Clock, ui: DriverUi): Promise<void> {
  const limit = clock.monotonic() + patienceMs;
  const { transport, close } = await httpTransport({
    ...{ server: new URL(ui.url), clock, connectionTimeoutMs: patienceMs, proxy: undefined },
    tls: { trustsAll: false, ignoresHostName: false },
  });
  try {
    while (!(await isReady(transport))) {
      if (clock.monotonic() > limit) throw submitError("SUBMIT_ERR_UI_NO_RESPONSE", ui);
      await clock.sleep(pollMs);
    }
  } finally {
    close();
  }
}

/** While it starts, Spark answers everything with a sentence that asks for patience. */
async function isReady(transport: Transport): Promise<boolean> {
  try {
    const { body } = await transport({ method: "GET", path: "/api/v1/applications", headers: {} });
    return (await readText(body)).startsWith("[");
  } catch {
    return false;
  }
}
