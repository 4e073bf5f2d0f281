import { submitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { appNameLabelKey, roleLabel } from "../../../plan/labels.ts";
import { appNameLabel } from "../../../plan/names.ts";
import { isDnsSubdomain } from "../../../values/dns-name.ts";
import { type DriverSelection, findDrivers } from "../operations/driver-selection.ts";

/** ID of the newest driver. */
const lastId = "last";

/**
 * Finds one driver. If no pod has the name of a selection, it is the name of an application, or `last`: the newest driver with this
 * name, or of all, in the namespace.
 *
 * @throws SUBMIT_ERR_DRIVER_MISSING, SUBMIT_ERR_DRIVER_AMBIGUOUS, SUBMIT_ERR_KUBE_…
 */
export async function findDriver(client: KubeClient, selection: DriverSelection): Promise<Pod> {
  const { kind, namespace, name } = selection;
  // The API rejects names that no pod can have; those of applications can have spaces.
  const found = kind === "pod" && !isDnsSubdomain(name) ? [] : await findDrivers(client, selection);
  const pods = found.length > 0 || kind !== "pod" ? found : await newestDriver(client, selection);
  const [pod, ...others] = pods;
  const id = kind === "prefix" ? `${name}*` : name;
  if (pod === undefined) throw submitError("SUBMIT_ERR_DRIVER_MISSING", { id, namespace });
  if (others.length === 0) return pod;
  const ids = pods.map(({ metadata }) => `${metadata?.namespace}:${metadata?.name}`);
  throw submitError("SUBMIT_ERR_DRIVER_AMBIGUOUS", { id, ids });
}

/** Fetches the newest driver, of an application's name or of all; none if there is none. */
async function newestDriver(client: KubeClient, { namespace, name }: DriverSelection): Promise<readonly Pod[]> {
  const ofName = name === lastId ? "" : `,${appNameLabelKey}=${appNameLabel(name)}`;
  const location = { type: resourceTypes.pod, ...(namespace !== undefined && { namespace }) };
  const drivers = await client.listSelected<Pod, { name: string; created: string }>(
    { ...location, labelSelector: `${roleLabel}=driver${ofName}`, members: { spec: [], status: [] } },
    ({ metadata }) => ({ name: metadata?.name ?? "", created: metadata?.creationTimestamp ?? "" }),
  );
  const [newest] = drivers.sort((a, b) => (a.created < b.created ? 1 : -1));
  return newest === undefined ? [] : findDrivers(client, { kind: "pod", namespace, name: newest.name });
}
