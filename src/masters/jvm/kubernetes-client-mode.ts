import * as driver from "../../conf/entries/driver.ts";
import { containerImage, executorContainerImage } from "../../conf/entries/image.ts";
import type { LogLine } from "../../plan/log-line.ts";
import { parseUri } from "../../values/uri.ts";
import type { ReachFacts } from "./reach-facts.ts";

/** Facts about a local driver with executors in a Kubernetes cluster. */
export interface ClientModeFacts {
  /** Returns the value of a setting as specified. */
  readonly setting: (key: string) => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether this machine is a pod of the cluster in which executors will run. */
  readonly isPod: boolean;
  readonly reach: ReachFacts;
}

const { key: hostKey } = driver.driverHost;
const { key: bindKey } = driver.driverBindAddress;
const portKeys = `${driver.driverPort.key} and ${driver.driverBlockManagerPort.key}`;

/**
 * Warns about settings and network facts that keep executors from their driver. The application can still override
 * them itself.
 *
 * Source: Spark documentation, "Running Spark on Kubernetes", Client Mode Networking.
 */
export function clientModeWarnings(facts: ClientModeFacts): readonly LogLine[] {
  const texts = [...addressTexts(facts), ...portTexts(facts), ...podNameTexts(facts), ...imageTexts(facts)];
  return texts.map((text) => ({ level: "WARN", logger: "SparkSubmit", text }));
}

/** Warns if the application exists only in the image, such as `local:///opt/spark/examples/src/main/python/pi.py`. */
export function absentApplicationWarnings(
  resource: string,
  files: { readonly info: (path: string) => unknown },
): readonly LogLine[] {
  const path = resource.startsWith("local:") ? (parseUri(resource)?.path ?? "") : "";
  if (path === "" || files.info(path) !== undefined) return [];
  const text = `${path} is not on this machine, where the driver is to run. If it is in the image, add --deploy-mode cluster.`;
  return [{ level: "WARN", logger: "SparkSubmit", text }];
}

function addressTexts(facts: ClientModeFacts): readonly string[] {
  const { isPod, reach } = facts;
  const { named, listening } = reach;
  if (named === undefined) {
    const text = `Executors will look for this driver at the address that Spark finds first on this machine; pods may not reach it.`;
    return isPod ? [] : [`${text} ${advice(facts)}`];
  }
  const specified = `${named.name} is ${named.value}`;
  if (isLoopback(named.value))
    return [
      `${specified}, and in its pod each executor is that itself: it will not find this driver. ${advice(facts)}`,
    ];
  if (named.addresses.length === 0)
    return [`${specified}, a name that is not known here: pods will hardly know it. ${advice(facts)}`];
  if (named.addresses.every(isLoopback))
    return [
      `${specified}, which here is ${named.addresses.join(", ")}: Spark would listen where no pod comes. Set ${bindKey} to 0.0.0.0, or ${hostKey} to another address of this machine.`,
    ];
  if (listening.fault !== "EADDRNOTAVAIL") return [];
  const fault = `${listening.name} is ${listening.address}, which is not an address of this ${isPod ? "pod" : "machine"}: Spark cannot listen there.`;
  const remedy = isPod ? "A service must be headless to be the pod's address; else set" : "Set";
  return [`${fault} ${remedy} ${bindKey} to an address of its own, or to 0.0.0.0 for all.`];
}

/** Returns the settings to change. */
function advice({ isPod, reach: { outgoing } }: ClientModeFacts): string {
  if (isPod) return `Set ${hostKey} to the address of this pod, or to a headless service that selects it.`;
  const ports = `and ${portKeys} to ports that are open to them.`;
  if (outgoing === undefined || isLoopback(outgoing))
    return `Set ${hostKey} to an address of this machine that pods can reach, ${ports}`;
  return `Set ${hostKey} to an address of this machine that pods can reach, such as ${outgoing}, which speaks to the cluster's API, ${ports}`;
}

function portTexts({ reach: { takenPorts, listening } }: ClientModeFacts): readonly string[] {
  return takenPorts.map(
    ({ key, port }) =>
      `${key} is ${port}, and another program listens there (${listening.address}): Spark will take one of the next ports, to which pods may have no way.`,
  );
}

/** Warns if the driver's pod is not named, because executors then have no owner. */
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

/** Returns whether an address is a loopback address. */
function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|0\.0\.0\.0)$/i.test(address);
}
