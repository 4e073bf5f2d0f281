import * as driver from "../../conf/entries/driver.ts";
import { containerImage, executorContainerImage } from "../../conf/entries/image.ts";
import type { LogLine } from "../../plan/log-line.ts";

/** What is known of a driver that runs here, with executors in a cluster of Kubernetes. */
export interface ClientModeFacts {
  /** The value of a setting as it was told. */
  readonly setting: (key: string) => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This machine is a pod of some cluster. */
  readonly isPod: boolean;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|0\.0\.0\.0)$/i;

/**
 * What will keep executors from their driver, as far as settings tell; an application may still say otherwise itself.
 *
 * Source: Spark documentation, "Running Spark on Kubernetes", Client Mode Networking.
 */
export function clientModeWarnings(facts: ClientModeFacts): readonly LogLine[] {
  const texts = [...addressTexts(facts), ...podNameTexts(facts), ...imageTexts(facts)];
  return texts.map((text) => ({ level: "WARN", logger: "SparkSubmit", text }));
}

function addressTexts({ setting, env, isPod }: ClientModeFacts): readonly string[] {
  const { key } = driver.driverHost;
  const named = [
    [key, setting(key)],
    ["SPARK_LOCAL_HOSTNAME", env["SPARK_LOCAL_HOSTNAME"]],
    ["SPARK_LOCAL_IP", env["SPARK_LOCAL_IP"]],
  ].find(([, value]) => (value ?? "") !== "");
  const ports = `${driver.driverPort.key} and ${driver.driverBlockManagerPort.key}`;
  const advice = isPod
    ? `Set ${key} to the address of this pod, or to a headless service that selects it.`
    : `Set ${key} to an address of this machine that pods can reach, and ${ports} to ports that are open to them.`;
  if (named === undefined) {
    const text = `Executors will look for this driver at the address that Spark finds first on this machine; pods may not reach it.`;
    return isPod ? [] : [`${text} ${advice}`];
  }
  const [name, value = ""] = named;
  return loopback.test(value)
    ? [
        `${name} is ${value}, and in its pod each executor is that itself: it will not find this driver. ${advice}`,
      ]
    : [];
}

/** Without its name nothing belongs to the driver's pod. */
function podNameTexts({ setting, env, isPod }: ClientModeFacts): readonly string[] {
  const { key } = driver.driverPodName;
  if (!isPod || setting(key) !== undefined) return [];
  return [
    `This driver runs in a pod that ${key} does not name: its executors stay when the pod is deleted. Set it to ${env["HOSTNAME"] ?? "the pod's name"}.`,
  ];
}

function imageTexts({ setting }: ClientModeFacts): readonly string[] {
  const keys = [executorContainerImage.key, containerImage.key];
  if (keys.some((key) => setting(key) !== undefined)) return [];
  return [`No setting names the image of the executors: ${containerImage.key}, e.g. apache/spark:4.0.0.`];
}
