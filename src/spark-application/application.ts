import type {
  Affinity,
  EnvFromSource,
  HostAlias,
  Lifecycle,
  PodDNSConfig,
  PodSecurityContext,
  SecurityContext,
  Toleration,
} from "kubernetes-types/core/v1.d.ts";
import type { Container, EnvVar, ObjectMeta, StringMap, Volume, VolumeMount } from "../kube/types.ts";

/** The group and version of both resources. */
export const applicationApiVersion = "sparkoperator.k8s.io/v1beta2";

/** A SparkApplication whose fields have the types of its schema. */
export interface SparkApplication {
  readonly apiVersion: string;
  readonly kind: "SparkApplication";
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec: ApplicationSpec;
}

/** A ScheduledSparkApplication whose fields have the types of its schema. */
export interface ScheduledSparkApplication {
  readonly apiVersion: string;
  readonly kind: "ScheduledSparkApplication";
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec: ScheduleSpec;
}

/** Fields of a ScheduledSparkApplication. */
export interface ScheduleSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly template: ApplicationSpec;
  readonly concurrencyPolicy?: string;
  readonly suspend?: boolean;
  readonly successfulRunHistoryLimit?: number;
  readonly failedRunHistoryLimit?: number;
}

/** Fields of a SparkApplication. Texts and lists may be empty. */
export interface ApplicationSpec {
  readonly type: "Java" | "Python" | "Scala" | "R";
  readonly mode?: "cluster" | "client";
  readonly sparkVersion: string;
  readonly mainApplicationFile: string;
  readonly mainClass?: string;
  readonly arguments?: readonly string[];
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly proxyUser?: string;
  readonly pythonVersion?: string;
  readonly memoryOverheadFactor?: string;
  readonly sparkConf?: StringMap;
  readonly hadoopConf?: StringMap;
  readonly sparkConfigMap?: string;
  readonly hadoopConfigMap?: string;
  readonly nodeSelector?: StringMap;
  readonly volumes?: readonly Volume[];
  readonly deps?: Dependencies;
  readonly driver: DriverFields;
  readonly executor: ExecutorFields;
  readonly dynamicAllocation?: DynamicAllocation;
  readonly monitoring?: Monitoring;
  readonly sparkUIOptions?: UiOptions;
  readonly driverIngressOptions?: readonly DriverPort[];
  readonly batchScheduler?: string;
  readonly batchSchedulerOptions?: BatchSchedulerOptions;
  readonly restartPolicy?: RestartPolicy;
  readonly timeToLiveSeconds?: number;
  readonly suspend?: boolean;
  readonly failureRetries?: number;
  readonly retryInterval?: number;
}

/** Lists of files and packages. */
export interface Dependencies {
  readonly jars?: readonly string[];
  readonly files?: readonly string[];
  readonly pyFiles?: readonly string[];
  readonly archives?: readonly string[];
  readonly packages?: readonly string[];
  readonly excludePackages?: readonly string[];
  readonly repositories?: readonly string[];
}

/** Fields that driver and executors have in common. */
export interface RoleFields {
  readonly image?: string;
  readonly cores?: number;
  readonly coreRequest?: string;
  readonly coreLimit?: string;
  readonly memory?: string;
  readonly memoryOverhead?: string;
  readonly memoryLimit?: string;
  readonly gpu?: { readonly name: string; readonly quantity: number };
  readonly serviceAccount?: string;
  readonly javaOptions?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly envVars?: StringMap;
  readonly envSecretKeyRefs?: Readonly<Record<string, { readonly name: string; readonly key: string }>>;
  readonly configMaps?: readonly { readonly name: string; readonly path: string }[];
  readonly secrets?: readonly { readonly name: string; readonly path: string; readonly secretType: string }[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly ports?: readonly { readonly name: string; readonly protocol: string; readonly containerPort: number }[];
  readonly hostNetwork?: boolean;
  readonly hostAliases?: readonly HostAlias[];
  readonly dnsConfig?: PodDNSConfig;
  readonly initContainers?: readonly Container[];
  readonly sidecars?: readonly Container[];
  readonly lifecycle?: Lifecycle;
  readonly nodeSelector?: StringMap;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly securityContext?: SecurityContext;
  readonly podSecurityContext?: PodSecurityContext;
  readonly shareProcessNamespace?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  /** A pod template, not checked. */
  readonly template?: unknown;
}

/** Fields of the driver. */
export interface DriverFields extends RoleFields {
  readonly podName?: string;
  readonly kubernetesMaster?: string;
  readonly serviceLabels?: StringMap;
  readonly serviceAnnotations?: StringMap;
}

/** Fields of the executors. */
export interface ExecutorFields extends RoleFields {
  readonly instances?: number;
  readonly deleteOnTermination?: boolean;
}

/** Dynamic allocation of executors. */
export interface DynamicAllocation {
  readonly enabled?: boolean;
  readonly initialExecutors?: number;
  readonly minExecutors?: number;
  readonly maxExecutors?: number;
  readonly shuffleTrackingEnabled?: boolean;
  /** In ms. */
  readonly shuffleTrackingTimeout?: number;
}

/** Metrics for Prometheus. */
export interface Monitoring {
  readonly exposeDriverMetrics: boolean;
  readonly exposeExecutorMetrics: boolean;
  readonly metricsProperties?: string;
  readonly metricsPropertiesFile?: string;
  readonly prometheus?: Prometheus;
}

/** The JMX exporter, a Java agent. */
export interface Prometheus {
  readonly jmxExporterJar: string;
  readonly port?: number;
  readonly portName?: string;
  readonly configFile?: string;
  readonly configuration?: string;
}

/** Hosts of an Ingress and the Secret with their certificate. */
export interface IngressTls {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

/** Options of a Service and its Ingress. */
export interface ServiceOptions {
  readonly serviceType?: string;
  readonly serviceLabels?: StringMap;
  readonly serviceAnnotations?: StringMap;
  readonly ingressAnnotations?: StringMap;
  readonly ingressTLS?: readonly IngressTls[];
}

/** Options of the Service and the Ingress of the web UI. */
export interface UiOptions extends ServiceOptions {
  readonly servicePort?: number;
  readonly servicePortName?: string;
}

/** A port of the driver with a Service and an Ingress. */
export interface DriverPort extends ServiceOptions {
  readonly servicePort: number;
  readonly servicePortName: string;
  readonly ingressURLFormat?: string;
}

/** Options of a batch scheduler. */
export interface BatchSchedulerOptions {
  readonly queue?: string;
  readonly priorityClassName?: string;
  readonly resources?: Readonly<Record<string, string | number>>;
}

/** When a run is repeated. Intervals are in seconds. */
export interface RestartPolicy {
  readonly type?: "Never" | "OnFailure" | "Always";
  readonly onFailureRetries?: number;
  readonly onFailureRetryInterval?: number;
  readonly onSubmissionFailureRetries?: number;
  readonly onSubmissionFailureRetryInterval?: number;
}
