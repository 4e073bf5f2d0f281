import {
  affinity,
  container,
  dnsConfig,
  envFromSource,
  envVar,
  hostAlias,
  lifecycle,
  podSecurityContext,
  securityContext,
  toleration,
  volume,
  volumeMount,
} from "./pod-types.ts";
import {
  any,
  flag,
  integer,
  integerFrom,
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

/** Fields of the resources `sparkoperator.k8s.io/v1beta2`. Source: Kubeflow Spark operator 2.5.2. */

const ingressTls = listOf(object({ hosts: textList, secretName: text }));

const serviceOptions: Readonly<Record<string, Schema>> = {
  serviceType: text,
  serviceLabels: textMap,
  serviceAnnotations: textMap,
  ingressAnnotations: textMap,
  ingressTLS: ingressTls,
};

const podFields: Readonly<Record<string, Schema>> = {
  ...named("coreLimit coreRequest memory memoryLimit memoryOverhead image serviceAccount javaOptions", text),
  ...named("priorityClassName schedulerName", text),
  cores: integerFrom(1),
  gpu: object({ "name!": text, "quantity!": integer }),
  ...named("annotations envVars labels nodeSelector", textMap),
  affinity,
  configMaps: listOf(object({ "name!": text, "path!": text })),
  dnsConfig,
  env: listOf(envVar),
  envFrom: listOf(envFromSource),
  envSecretKeyRefs: mapOf(object({ "name!": text, "key!": text })),
  hostAliases: listOf(hostAlias),
  ...named("hostNetwork shareProcessNamespace", flag),
  ...named("initContainers sidecars", listOf(container)),
  lifecycle,
  podSecurityContext,
  ports: listOf(object({ "name!": text, "protocol!": text, "containerPort!": integer })),
  secrets: listOf(object({ "name!": text, "path!": text, "secretType!": text })),
  securityContext,
  template: any,
  terminationGracePeriodSeconds: integer,
  tolerations: listOf(toleration),
  volumeMounts: listOf(volumeMount),
};

const driver = object({
  ...podFields,
  ...named("podName kubernetesMaster", text),
  ...named("serviceAnnotations serviceLabels", textMap),
});

const executor = object({ ...podFields, deleteOnTermination: flag, instances: integerFrom(1) });

export const restartPolicy = object({
  type: oneOf("Never", "Always", "OnFailure"),
  ...named("onFailureRetries onSubmissionFailureRetries", integerFrom(0)),
  ...named("onFailureRetryInterval onSubmissionFailureRetryInterval", integerFrom(1)),
});

const monitoring = object({
  ...named("exposeDriverMetrics! exposeExecutorMetrics!", flag),
  ...named("metricsProperties metricsPropertiesFile", text),
  prometheus: object({
    "jmxExporterJar!": text,
    port: integerFrom(1024, 49151),
    ...named("configFile configuration portName", text),
  }),
});

const spec = object({
  "type!": oneOf("Java", "Python", "Scala", "R"),
  mode: oneOf("cluster", "client"),
  pythonVersion: oneOf("2", "3"),
  ...named("sparkVersion! mainApplicationFile!", text),
  ...named("batchScheduler hadoopConfigMap image imagePullPolicy mainClass memoryOverheadFactor proxyUser", text),
  sparkConfigMap: text,
  ...named("arguments imagePullSecrets", textList),
  ...named("hadoopConf nodeSelector sparkConf", textMap),
  batchSchedulerOptions: object({ priorityClassName: text, queue: text, resources: mapOf(quantity) }),
  deps: object(named("archives excludePackages files jars packages pyFiles repositories", textList)),
  "driver!": driver,
  driverIngressOptions: listOf(
    object({ ...serviceOptions, "servicePort!": integer, "servicePortName!": text, ingressURLFormat: text }),
  ),
  dynamicAllocation: object({
    ...named("enabled shuffleTrackingEnabled", flag),
    ...named("initialExecutors maxExecutors minExecutors shuffleTrackingTimeout", integer),
  }),
  "executor!": executor,
  ...named("failureRetries retryInterval timeToLiveSeconds", integer),
  monitoring,
  restartPolicy,
  sparkUIOptions: object({ ...serviceOptions, servicePort: integer, servicePortName: text }),
  suspend: flag,
  volumes: listOf(volume),
});

const metadata = object({
  "name!": text,
  ...named("creationTimestamp generateName namespace resourceVersion selfLink uid", text),
  ...named("deletionGracePeriodSeconds generation", integer),
  deletionTimestamp: text,
  ...named("annotations labels", textMap),
  finalizers: textList,
  ...named("managedFields ownerReferences", any),
});

const header = { "apiVersion!": text, "kind!": text, "metadata!": metadata, status: any };

export const sparkApplicationSchema = object({ ...header, "spec!": spec });

export const scheduledApplicationSchema = object({
  ...header,
  "spec!": object({
    "schedule!": text,
    "template!": spec,
    ...named("concurrencyPolicy timeZone", text),
    suspend: flag,
    ...named("successfulRunHistoryLimit failedRunHistoryLimit", integer),
  }),
});
