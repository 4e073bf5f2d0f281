import type { OwnerReference, PersistentVolumeClaim } from "../../../kube/types.ts";
import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { createObject, rejectionMessage } from "../create-object.ts";
import { createPod } from "./pods.ts";
import { type Revision, revisionLabel, type StatefulSetObject } from "./revisions.ts";

const component = "statefulset-controller";
const claims = "persistentvolumeclaims";

/** Creates a pod of a stateful set, with its ordinal in name and labels, and its claims. */
export function createStatefulPod(
  api: ApiScope,
  set: StatefulSetObject,
  { ordinal, revision }: { readonly ordinal: number; readonly revision: Revision },
): void {
  const { name: setName } = set.metadata;
  const name = `${setName}-${ordinal}`;
  const templates = set.spec.volumeClaimTemplates ?? [];
  for (const template of templates) createClaim(api, set, { template, pod: name });
  const volumes = templates.map(({ metadata }) => ({
    name: metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimName(metadata?.name ?? "", name) },
  }));
  const others = (revision.template.spec?.volumes ?? []).filter(
    (volume) => !volumes.some((own) => own.name === volume.name),
  );
  const { serviceName = "" } = set.spec;
  const overrides = {
    name,
    generateName: `${setName}-`,
    labels: {
      "apps.kubernetes.io/pod-index": String(ordinal),
      [revisionLabel]: revision.name,
      "statefulset.kubernetes.io/pod-name": name,
    },
    spec: {
      hostname: name,
      ...(serviceName === "" ? {} : { subdomain: serviceName }),
      ...(volumes.length + others.length === 0 ? {} : { volumes: [...volumes, ...others] }),
    },
  };
  createPod(api, set, revision.template, { overrides, component });
  recordCreation(api, set, `Create Pod ${name} in StatefulSet ${setName} successful`);
}

function recordCreation(api: ApiScope, set: StatefulSetObject, message: string): void {
  api.events.record(set, { type: "Normal", reason: "SuccessfulCreate", message, component });
}

function claimName(template: string, pod: string): string {
  return `${template}-${pod}`;
}

/** Creates a claim unless it exists from an earlier pod. */
function createClaim(
  api: ApiScope,
  set: StatefulSetObject,
  { template, pod }: { readonly template: PersistentVolumeClaim; readonly pod: string },
): void {
  const { namespace } = set.metadata;
  const name = claimName(template.metadata?.name ?? "", pod);
  if (api.store.get(claims, namespace, name) !== undefined) return;
  const { labels, annotations } = template.metadata ?? {};
  const endsWithSet = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  const metadata = {
    ...{ name, namespace },
    labels: { ...labels, ...set.spec.selector.matchLabels },
    ...(annotations === undefined ? {} : { annotations }),
    ...(endsWithSet ? { ownerReferences: [ownerOf(set)] } : {}),
  };
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: template.spec };
  const subject = `${name} Pod ${pod} in StatefulSet ${set.metadata.name}`;
  try {
    createObject(api, claims, claim);
  } catch (error) {
    const message = `Create Claim ${subject} failed error: ${rejectionMessage(error)}`;
    api.events.record(set, { type: "Warning", reason: "FailedCreate", message, component });
    throw error;
  }
  recordCreation(api, set, `Create Claim ${subject} success`);
}

function ownerOf({ apiVersion, kind, metadata }: StoredObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

/** Makes a removed pod the owner of its claims, so they are deleted with it. */
export function transferClaims({ store }: ApiScope, set: StatefulSetObject, pod: StoredObject): void {
  for (const { metadata } of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(metadata?.name ?? "", pod.metadata.name);
    store.update(claims, set.metadata.namespace, name, (current) => ({
      ...current,
      metadata: { ...current.metadata, ownerReferences: [ownerOf(pod)] },
    }));
  }
}
