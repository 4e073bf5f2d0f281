import type { PodSpec } from "../../../kube/types.ts";
import type { ApiScope, Call } from "../call.ts";
import { isObject } from "../json.ts";
import { addTolerations } from "../kinds/pod-defaults.ts";
import { type Draft, nameOf } from "../object.ts";
import { randomSuffix } from "../random-suffix.ts";
import { forbidden } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { admitRuntimeClass } from "./runtime-class.ts";

type PodDraft = Draft & { spec: PodSpec };

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Sets a new pod's service account with its token, its priority, and its tolerations of unreachable nodes.
 *
 * @throws StatusError 403 if it names a missing object
 */
export function admitPod(api: ApiScope, call: Call, draft: Draft): void {
  if (!isPod(draft)) return;
  admitPriority(api, call, draft);
  admitRuntimeClass(api, call, draft);
  admitServiceAccount(api, call, draft);
  addTolerations(draft.spec);
}

function isPod(draft: Draft): draft is PodDraft {
  return isObject(draft["spec"]);
}

function admitPriority({ store }: ApiScope, call: Call, pod: PodDraft): void {
  const { spec } = pod;
  const className = spec.priorityClassName ?? "";
  const classes = store.list("priorityclasses.scheduling.k8s.io");
  const found =
    className === ""
      ? classes.find(({ globalDefault }) => globalDefault === true)
      : classes.find(({ metadata }) => metadata.name === className);
  if (className !== "" && found === undefined) {
    throw forbidden(call.kind, nameOf(pod), `no PriorityClass with name ${className} was found`);
  }
  if (found !== undefined) spec.priorityClassName = found.metadata.name;
  const value = found?.["value"];
  const policy = found?.["preemptionPolicy"];
  const computed = {
    priority: typeof value === "number" ? value : 0,
    preemptionPolicy: typeof policy === "string" ? policy : "PreemptLowerPriority",
  };
  const rejection = (text: string, own: string | number) =>
    forbidden(
      call.kind,
      nameOf(pod),
      `${text} must not be provided in pod spec; priority admission controller computed ${own} from the given PriorityClass name`,
    );
  if (spec.priority !== undefined && spec.priority !== computed.priority)
    throw rejection(`the integer value of priority (${spec.priority})`, computed.priority);
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== computed.preemptionPolicy)
    throw rejection(`the string value of PreemptionPolicy (${spec.preemptionPolicy})`, computed.preemptionPolicy);
  Object.assign(spec, computed);
}

function admitServiceAccount(api: ApiScope, call: Call, pod: PodDraft): void {
  const { spec } = pod;
  spec.serviceAccountName ??= "default";
  if (spec.serviceAccountName === "") spec.serviceAccountName = "default";
  spec.serviceAccount = spec.serviceAccountName;
  const account = api.store.get("serviceaccounts", call.namespace, spec.serviceAccountName);
  if (account === undefined) {
    const { serviceAccountName: name } = spec;
    const text = `error looking up service account ${call.namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
    throw forbidden(call.kind, nameOf(pod), text);
  }
  if (spec.automountServiceAccountToken ?? account["automountServiceAccountToken"] !== false) addToken(api, spec);
  addPullSecrets(spec, account);
}

function addPullSecrets(spec: PodSpec, account: StoredObject): void {
  const secrets = account["imagePullSecrets"];
  if ((spec.imagePullSecrets ?? []).length > 0 || !Array.isArray(secrets) || secrets.length === 0) return;
  spec.imagePullSecrets = structuredClone(secrets);
}

function addToken({ random }: ApiScope, spec: PodSpec): void {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const without = containers.filter(
    ({ volumeMounts = [] }) => !volumeMounts.some(({ mountPath }) => mountPath === tokenPath),
  );
  if (without.length === 0) return;
  const known = spec.volumes?.find(({ name }) => name.startsWith("kube-api-access-"))?.name;
  const name = known ?? `kube-api-access-${randomSuffix(random)}`;
  for (const container of without) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenPath }];
  }
  if (known !== undefined) return;
  const namespace = { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } };
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    { downwardAPI: { items: [namespace] } },
  ];
  spec.volumes = [...(spec.volumes ?? []), { name, projected: { sources, defaultMode: 0o644 } }];
}
