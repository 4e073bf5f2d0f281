import { submitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { appNameLabelKey, roleLabel } from "../../../plan/labels.ts";
import { appNameLabel } from "../../../plan/names.ts";
import { isDnsSubdomain } from "../../../values/dns-name.ts";
import { isAppId, type SubmissionId } from "../../../values/identity.ts";
import { findDrivers } from "../operations/driver-selection.ts";

/** ID of the newest driver. */
const lastId = "last";

/**
 * Finds a driver by the name of its pod, a prefix of it, its application ID, or the name of its application; `last` is the newest driver
 * of the namespace. A pod of that name comes first. Of several drivers with the name of an application, it is the newest.
 *
 * @throws SUBMIT_ERR_DRIVER_MISSING, SUBMIT_ERR_DRIVER_AMBIGUOUS, SUBMIT_ERR_KUBE_…
 */
export async function findDriver(client: KubeClient, id: SubmissionId, defaultNamespace: string): Promise<Pod> {
  const { name, isPrefix } = id;
  const kind = isPrefix ? "prefix" : isAppId(name) ? "application" : "pod";
  const specified = id.namespace ?? client.defaultNamespace;
  const namespace = kind === "pod" ? (specified ?? defaultNamespace) : specified;
  // The API rejects names that no pod can have; those of applications can have spaces.
  const found = kind === "pod" && !isDnsSubdomain(name) ? [] : await findDrivers(client, { kind, namespace, name });
  const pods = found.length > 0 || kind !== "pod" ? found : await newestDriver(client, namespace, name);
  const [pod, ...others] = pods;
  const printed = isPrefix ? `${name}*` : name;
  if (pod === undefined) throw submitError("SUBMIT_ERR_DRIVER_MISSING", { id: printed, namespace });
  if (others.length === 0) return pod;
  const ids = pods.map(({ metadata }) => `${metadata?.namespace}:${metadata?.name}`);
  throw submitError("SUBMIT_ERR_DRIVER_AMBIGUOUS", { id: printed, ids });
}

/** Fetches the newest driver, of an application's name or of all; none if there is none. */
async function newestDriver(client: KubeClient, namespace = "", name: string): Promise<readonly Pod[]> {
  const ofName = name === lastId ? "" : `,${appNameLabelKey}=${appNameLabel(name)}`;
  const type = resourceTypes.pod;
  const drivers = await client.listSelected<Pod, { name: string; created: string }>(
    { type, namespace, labelSelector: `${roleLabel}=driver${ofName}` },
    ({ metadata }) => ({ name: metadata?.name ?? "", created: metadata?.creationTimestamp ?? "" }),
  );
  const [newest] = drivers.sort((a, b) => (a.created < b.created ? 1 : -1));
  return newest === undefined ? [] : findDrivers(client, { kind: "pod", namespace, name: newest.name });
}
