import {
  any,
  flag,
  integer,
  integerOrText,
  listOf,
  mapOf,
  named,
  object,
  oneOf,
  quantity,
  type Schema,
  text,
  textList,
  textMap,
} from "./schema.ts";

/** Types of the fields of pods that a SparkApplication has. Source: Kubernetes API reference 1.35. */

const reference = object({ name: text, optional: flag });
const keyReference = object({ "key!": text, name: text, optional: flag });

export const envVar = object({
  "name!": text,
  value: text,
  valueFrom: object({
    configMapKeyRef: keyReference,
    secretKeyRef: keyReference,
    fieldRef: object({ apiVersion: text, "fieldPath!": text }),
    resourceFieldRef: object({ containerName: text, divisor: quantity, "resource!": text }),
    fileKeyRef: object({ "key!": text, optional: flag, "path!": text, "volumeName!": text }),
  }),
});

export const envFromSource = object({ prefix: text, configMapRef: reference, secretRef: reference });

const selector = object({
  matchExpressions: listOf(object({ "key!": text, "operator!": text, values: textList })),
  matchLabels: textMap,
});

const nodeRequirements = listOf(object({ "key!": text, "operator!": text, values: textList }));
const nodeTerm = object({ matchExpressions: nodeRequirements, matchFields: nodeRequirements });
const podTerm = object({
  labelSelector: selector,
  ...named("matchLabelKeys mismatchLabelKeys namespaces", textList),
  namespaceSelector: selector,
  "topologyKey!": text,
});
const podAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: listOf(object({ "podAffinityTerm!": podTerm, "weight!": integer })),
  requiredDuringSchedulingIgnoredDuringExecution: listOf(podTerm),
});

export const affinity = object({
  nodeAffinity: object({
    preferredDuringSchedulingIgnoredDuringExecution: listOf(object({ "preference!": nodeTerm, "weight!": integer })),
    requiredDuringSchedulingIgnoredDuringExecution: object({ "nodeSelectorTerms!": listOf(nodeTerm) }),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

export const toleration = object({ ...named("effect key operator value", text), tolerationSeconds: integer });
export const hostAlias = object({ hostnames: textList, "ip!": text });
export const dnsConfig = object({
  nameservers: textList,
  options: listOf(object({ name: text, value: text })),
  searches: textList,
});

const seLinuxOptions = object(named("level role type user", text));
const profile = object({ localhostProfile: text, "type!": text });
const windowsOptions = object({
  ...named("gmsaCredentialSpec gmsaCredentialSpecName runAsUserName", text),
  hostProcess: flag,
});

export const securityContext = object({
  ...named("allowPrivilegeEscalation privileged readOnlyRootFilesystem runAsNonRoot", flag),
  ...named("runAsGroup runAsUser", integer),
  appArmorProfile: profile,
  capabilities: object(named("add drop", textList)),
  procMount: text,
  seLinuxOptions,
  seccompProfile: profile,
  windowsOptions,
});

export const podSecurityContext = object({
  ...named("fsGroup runAsGroup runAsUser", integer),
  ...named("fsGroupChangePolicy seLinuxChangePolicy supplementalGroupsPolicy", text),
  appArmorProfile: profile,
  runAsNonRoot: flag,
  seLinuxOptions,
  seccompProfile: profile,
  supplementalGroups: listOf(integer),
  sysctls: listOf(object({ "name!": text, "value!": text })),
  windowsOptions,
});

const exec = object({ command: textList });
const httpGet = object({
  ...named("host path scheme", text),
  httpHeaders: listOf(object({ "name!": text, "value!": text })),
  "port!": integerOrText,
});
const tcpSocket = object({ host: text, "port!": integerOrText });
const hook = object({ exec, httpGet, sleep: object({ "seconds!": integer }), tcpSocket });
export const lifecycle = object({ postStart: hook, preStop: hook, stopSignal: text });

const probe = object({
  ...named(
    "failureThreshold initialDelaySeconds periodSeconds successThreshold terminationGracePeriodSeconds timeoutSeconds",
    integer,
  ),
  exec,
  grpc: object({ "port!": integer, service: text }),
  httpGet,
  tcpSocket,
});

const claims = listOf(object({ "name!": text, request: text }));
const resources = object({ claims, limits: mapOf(quantity), requests: mapOf(quantity) });

export const volumeMount = object({
  "mountPath!": text,
  "name!": text,
  ...named("mountPropagation recursiveReadOnly subPath subPathExpr", text),
  readOnly: flag,
});

export const container = object({
  "name!": text,
  ...named("image imagePullPolicy restartPolicy terminationMessagePath terminationMessagePolicy workingDir", text),
  ...named("stdin stdinOnce tty", flag),
  ...named("args command", textList),
  env: listOf(envVar),
  envFrom: listOf(envFromSource),
  lifecycle,
  ...named("livenessProbe readinessProbe startupProbe", probe),
  ports: listOf(
    object({
      "containerPort!": integer,
      hostIP: text,
      hostPort: integer,
      name: text,
      protocol: oneOf("TCP", "UDP", "SCTP"),
    }),
  ),
  resizePolicy: listOf(object({ "resourceName!": text, "restartPolicy!": text })),
  resources,
  restartPolicyRules: any,
  securityContext,
  volumeDevices: listOf(object({ "devicePath!": text, "name!": text })),
  volumeMounts: listOf(volumeMount),
});

const items = listOf(object({ "key!": text, mode: integer, "path!": text }));
const fieldRef = object({ apiVersion: text, "fieldPath!": text });
const downwardItems = listOf(
  object({
    fieldRef,
    mode: integer,
    "path!": text,
    resourceFieldRef: object({ containerName: text, divisor: quantity, "resource!": text }),
  }),
);
const typedReference = object({ apiGroup: text, "kind!": text, "name!": text, namespace: text });
const claimSpec = object({
  accessModes: textList,
  dataSource: typedReference,
  dataSourceRef: typedReference,
  resources,
  selector,
  ...named("storageClassName volumeAttributesClassName volumeMode volumeName", text),
});
const keptSecret = object({ name: text });

const commonSources: Readonly<Record<string, Schema>> = {
  configMap: object({ defaultMode: integer, items, name: text, optional: flag }),
  csi: object({
    "driver!": text,
    fsType: text,
    nodePublishSecretRef: keptSecret,
    readOnly: flag,
    volumeAttributes: textMap,
  }),
  downwardAPI: object({ defaultMode: integer, items: downwardItems }),
  emptyDir: object({ medium: text, sizeLimit: quantity }),
  ephemeral: object({
    volumeClaimTemplate: object({
      metadata: object({ annotations: textMap, labels: textMap, finalizers: textList, name: text, namespace: text }),
      "spec!": claimSpec,
    }),
  }),
  hostPath: object({ "path!": text, type: text }),
  image: object({ pullPolicy: text, reference: text }),
  nfs: object({ "path!": text, readOnly: flag, "server!": text }),
  persistentVolumeClaim: object({ "claimName!": text, readOnly: flag }),
  projected: object({
    defaultMode: integer,
    sources: listOf(
      object({
        clusterTrustBundle: any,
        configMap: object({ items, name: text, optional: flag }),
        downwardAPI: object({ items: downwardItems }),
        podCertificate: any,
        secret: object({ items, name: text, optional: flag }),
        serviceAccountToken: object({ audience: text, expirationSeconds: integer, "path!": text }),
      }),
    ),
  }),
  secret: object({ defaultMode: integer, items, optional: flag, secretName: text }),
};

/** Kinds of volumes that few clusters have: the API server checks them when it creates the pod. */
const rareSources = named(
  `awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk gitRepo glusterfs iscsi
photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`,
  any,
);

export const volume = object({ "name!": text, ...commonSources, ...rareSources });
