import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { Monitoring, Prometheus } from "../application.ts";
import { defaultExporterConfig, defaultMetricsProperties } from "./default-metrics.ts";
import type { FieldSettings } from "./field-settings.ts";
import type { TranslationInput } from "./translation.ts";

const directory = "/etc/metrics/conf";
const metricsFile = "metrics.properties";
const exporterFile = "prometheus.yaml";
const defaultPort = 8090;
const defaultPortName = "jmx-exporter";

interface PrometheusMonitoring extends Monitoring {
  readonly prometheus: Prometheus;
}

/** Returns the monitoring of an application; only Prometheus has an effect. */
function prometheusOf({ spec: { monitoring } }: TranslationInput): PrometheusMonitoring | undefined {
  const prometheus = monitoring?.prometheus;
  return monitoring === undefined || prometheus === undefined ? undefined : { ...monitoring, prometheus };
}

function isExposed({ exposeDriverMetrics, exposeExecutorMetrics }: Monitoring, role: Role): boolean {
  return role === "driver" ? exposeDriverMetrics : exposeExecutorMetrics;
}

/** Whether both files are in the image. */
function hasOwnFiles({ metricsPropertiesFile, prometheus }: PrometheusMonitoring): boolean {
  return Boolean(metricsPropertiesFile) && Boolean(prometheus.configFile);
}

/** Adds the settings of metrics for Prometheus, which replace those of `sparkConf`. */
export function addMonitoringSettings(settings: FieldSettings, input: TranslationInput): void {
  const monitoring = prometheusOf(input);
  if (monitoring === undefined) return;
  const { prometheus, metricsPropertiesFile } = monitoring;
  const path = "spec.monitoring.prometheus";
  settings.put(fieldKeys.metricsNamespace, `${input.namespace}.${input.name}`, path);
  settings.put(fieldKeys.metricsConf, metricsPropertiesFile || `${directory}/${metricsFile}`, path);
  const port = String(prometheus.port ?? defaultPort);
  const agent = `-javaagent:${prometheus.jmxExporterJar}=${port}:${prometheus.configFile || `${directory}/${exporterFile}`}`;
  for (const role of ["driver", "executor"] as const) {
    if (!isExposed(monitoring, role)) continue;
    const keys = fieldKeys[role];
    settings.put(`${keys.annotation}prometheus.io/scrape`, "true", path);
    settings.put(`${keys.annotation}prometheus.io/port`, port, path);
    settings.put(`${keys.annotation}prometheus.io/path`, "/metrics", path);
    const options = settings.value(keys.javaOptions);
    settings.put(keys.javaOptions, options === undefined ? agent : `${options} ${agent}`, path);
  }
}

/** Returns port, volume and mount of a role that exposes metrics. */
export function monitoringAdditions(input: TranslationInput, role: Role) {
  const monitoring = prometheusOf(input);
  const none = { ports: [], volumes: [], mounts: [] };
  if (monitoring === undefined || !isExposed(monitoring, role)) return none;
  const { port = defaultPort, portName = "" } = monitoring.prometheus;
  if (hasOwnFiles(monitoring)) return none;
  const volume = `${configMapName(input)}-vol`;
  return {
    ports: [{ name: portName || defaultPortName, containerPort: port, protocol: "TCP" }],
    volumes: [{ name: volume, configMap: { name: configMapName(input) } }],
    mounts: [{ name: volume, mountPath: directory, readOnly: true }],
  };
}

function configMapName({ name }: TranslationInput): string {
  return `${name}-prom-conf`;
}

/** Returns the ConfigMap with the files that are not in the image. */
export function monitoringObjects(input: TranslationInput): readonly KubeResource[] {
  const monitoring = prometheusOf(input);
  if (monitoring === undefined || hasOwnFiles(monitoring)) return [];
  const { metricsProperties, metricsPropertiesFile, prometheus } = monitoring;
  const { configuration, configFile } = prometheus;
  const data = {
    ...(metricsPropertiesFile ? {} : { [metricsFile]: metricsProperties || defaultMetricsProperties }),
    ...(configFile ? {} : { [exporterFile]: configuration || defaultExporterConfig }),
  };
  const metadata = { name: configMapName(input), namespace: input.namespace };
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata, data }];
}
