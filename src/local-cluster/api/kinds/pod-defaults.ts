import type { Container, PodSpec, Volume } from "../../../kube/types.ts";

/** Sets the defaults of a pod's specification; templates lack the defaults that only pods have. */
export function fillPodSpec(spec: PodSpec, { isTemplate }: { isTemplate: boolean }): void {
  spec.restartPolicy ??= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ??= "default-scheduler";
  if (!isTemplate) spec.enableServiceLinks ??= true;
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    fillContainer(container, { isTemplate });
    if (spec.hostNetwork === true) for (const port of container.ports ?? []) port.hostPort ??= port.containerPort;
  }
  // Ephemeral containers have no resources.
  for (const container of spec.ephemeralContainers ?? []) fillContainer(container, { isTemplate: true });
  for (const volume of spec.volumes ?? []) fillVolume(volume);
}

/** Tolerates unreachable nodes for 300 s, unless the pod specifies its own toleration. */
export function addTolerations(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? [];
  const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
    (taint) =>
      !tolerations.some(
        ({ key = "", effect = "" }) => (key === taint || key === "") && (effect === "NoExecute" || effect === ""),
      ),
  );
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 })),
  ];
}

/** Sets the defaults of a container. */
function fillContainer(container: Container, { isTemplate }: { isTemplate: boolean }): void {
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  container.imagePullPolicy ??= pullPolicy(container.image ?? "");
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe === undefined) continue;
    probe.timeoutSeconds ??= 1;
    probe.periodSeconds ??= 10;
    probe.successThreshold ??= 1;
    probe.failureThreshold ??= 3;
  }
  const { lifecycle } = container;
  const actions = [
    container.livenessProbe,
    container.readinessProbe,
    container.startupProbe,
    lifecycle?.preStop,
    lifecycle?.postStart,
  ];
  for (const action of actions) {
    if (action?.httpGet === undefined) continue;
    action.httpGet.path ??= "/";
    action.httpGet.scheme ??= "HTTP";
  }
  for (const { valueFrom } of container.env ?? []) if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= "v1";
  if (!isTemplate) fillRequests(container);
}

/** Sets missing requests to the limits. */
function fillRequests({ resources }: Container): void {
  if (resources?.limits === undefined) return;
  const requests = { ...resources.limits, ...resources.requests };
  resources.requests = Object.fromEntries(Object.entries(requests).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the default pull policy: `Always` for the tag `latest`, which may change at any time. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  const isReference = /^[a-z0-9._-]+(:[\w.-]+)?(@.+)?$/.test(name);
  if (!isReference || name.includes("@")) return "IfNotPresent";
  const tag = name.includes(":") ? name.slice(name.indexOf(":") + 1) : "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

const fieldsWithoutSource: ReadonlySet<string> = new Set(["name"]);

function fillVolume(volume: Volume): void {
  const { configMap, secret, downwardAPI, projected, hostPath, ephemeral } = volume;
  // A volume without a source is an emptyDir.
  if (Object.keys(volume).every((field) => fieldsWithoutSource.has(field))) volume.emptyDir = {};
  if (configMap) configMap.defaultMode ??= 0o644;
  if (secret) secret.defaultMode ??= 0o644;
  if (hostPath) hostPath.type ??= "";
  if (downwardAPI) {
    downwardAPI.defaultMode ??= 0o644;
    for (const item of downwardAPI.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ??= "v1";
  }
  if (projected) {
    projected.defaultMode ??= 0o644;
    for (const source of projected.sources ?? []) {
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
      for (const item of source.downwardAPI?.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ??= "v1";
    }
  }
  const claim = ephemeral?.volumeClaimTemplate?.spec;
  if (claim) claim.volumeMode ??= "Filesystem";
}
