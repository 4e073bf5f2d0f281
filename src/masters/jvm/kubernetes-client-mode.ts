import * as driver from "../../conf/entries/driver.ts";
import { containerImage, executorContainerImage } from "../../conf/entries/image.ts";
import type { SparkVersion } from "../../conf/spark-version.ts";
import { issue } from "../../errors/issue.ts";
import type { LogLine } from "../../plan/log-line.ts";
import { parseUri } from "../../values/uri.ts";
import type { ReachFacts } from "./reach-facts.ts";

/** Facts about a local driver with executors in a Kubernetes cluster. */
interface ClientModeFacts {
  /** Returns the value of a setting as specified. */
  readonly setting: (key: string) => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: SparkVersion;
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
  const text = `${path} does not exist on this machine, where the driver runs. If it is in the image, add --deploy-mode cluster.`;
  return [{ level: "WARN", logger: "SparkSubmit", text }];
}

/** Reports that the driver runs here because no deploy mode is specified: only Spark's master URLs make that a habit. */
export function impliedClientModeWarning(): LogLine {
  const text =
    "No deploy mode is specified, so the driver runs on this machine (client mode), and only executors run in the embedded cluster.";
  return {
    level: "WARN",
    logger: "SparkSubmit",
    text: `${text} To run the driver there, too, add --deploy-mode cluster; else add --deploy-mode client.`,
  };
}

function addressTexts(facts: ClientModeFacts): readonly string[] {
  const { isPod, reach } = facts;
  const { named, listening } = reach;
  if (named === undefined) {
    const text = "Spark chooses the address of this driver, which pods may not be able to reach.";
    return isPod ? [] : [`${text} ${advice(facts)}`];
  }
  const specified = `${named.name} is ${named.value}`;
  if (isLoopback(named.value))
    return [`${specified}, which in the pod of an executor is the pod itself, not this driver. ${advice(facts)}`];
  if (named.addresses.length === 0)
    return [`${specified}, a name that this machine cannot resolve; pods probably cannot, either. ${advice(facts)}`];
  if (named.addresses.every(isLoopback)) {
    const text = `${specified}, which this machine resolves to ${named.addresses.join(", ")}: pods cannot connect there.`;
    return [`${text} Set ${bindKey} to 0.0.0.0, or ${hostKey} to another address of this machine.`];
  }
  if (listening.fault !== "EADDRNOTAVAIL") return [];
  const fault = `${listening.name} is ${listening.address}, which is not an address of this ${isPod ? "pod" : "machine"}: Spark cannot listen there.`;
  const remedy = isPod ? "Use a headless service, whose address is that of the pod, or set" : "Set";
  return [`${fault} ${remedy} ${bindKey} to an address of this ${isPod ? "pod" : "machine"}, or to 0.0.0.0 for all.`];
}

/** Returns the settings to change. */
function advice({ isPod, reach: { outgoing } }: ClientModeFacts): string {
  if (isPod) return `Set ${hostKey} to the address of this pod, or to a headless service that selects it.`;
  const example = outgoing === undefined || isLoopback(outgoing) ? "" : `, such as ${outgoing},`;
  return `Set ${hostKey} to an address of this machine that pods can reach${example} and ${portKeys} to ports that are open to them.`;
}

function portTexts({ reach: { takenPorts, listening } }: ClientModeFacts): readonly string[] {
  const remedy = "Spark uses one of the next ports, which may not be open to pods.";
  return takenPorts.map(
    ({ key, port }) => `${key} is ${port}, but another program listens there (${listening.address}). ${remedy}`,
  );
}

/** Warns if the driver's pod is not named, because executors then have no owner. */
function podNameTexts({ setting, env, isPod }: ClientModeFacts): readonly string[] {
  const { key } = driver.driverPodName;
  if (!isPod || setting(key) !== undefined) return [];
  const remedy = `Set it to ${env["HOSTNAME"] ?? "the pod's name"}.`;
  return [`${key} is not set, so the executors remain when the pod of this driver is deleted. ${remedy}`];
}

function imageTexts({ setting, version }: ClientModeFacts): readonly string[] {
  const { key } = containerImage;
  if ([executorContainerImage.key, key].some((name) => setting(name) !== undefined)) return [];
  const { hint } = issue("SUBMIT_ERR_EXECUTOR_IMAGE_MISSING", { version: version.text });
  return [`The executors have no image. ${hint}`];
}

/** Returns whether an address is a loopback address. */
function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|0\.0\.0\.0)$/i.test(address);
}
