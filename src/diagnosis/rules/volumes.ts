import type { Event } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { eventEvidence, podEvidence, quote } from "../evidence.ts";
import { eventCount, eventTimes, type PodView } from "../pod-view.ts";
import type { Rule } from "../rule.ts";
import { schedulerText } from "../scheduler-message.ts";
import { keys, keyWithin } from "../settings.ts";
import { objectsOf, type View } from "../view.ts";
import { claimedBy } from "./scheduling-reasons.ts";

/** Time that a volume may be missing that the submission itself creates after the pod (ms). */
const lateObjectMs = 5_000;
/** Time that a claim may wait for a class or a volume without an event about it (ms). */
const claimTimeoutMs = 3_000;
/** Time that a volume may take to be attached (ms). */
const attachTimeoutMs = 9_500;

const claimMissing: Rule = {
  cause: "pvc-missing",
  seen: "condition `PodScheduled` of the pod and the event `FailedScheduling`",
  remedy: "Create the claim, or correct its name.",
  find: (view) => {
    const reported = driverSchedulerMessage(view);
    const claim = /persistentvolumeclaims? "([^"]+)" (?:not found|is being deleted)/.exec(reported?.text ?? "")?.[1];
    if (view.driver === undefined || reported === undefined || claim === undefined) return undefined;
    return {
      message: `The PersistentVolumeClaim ${claim} does not exist in ${view.driver.namespace}.`,
      key:
        keyWithin(view.properties, keys.volume, (value, name) => value === claim && name.endsWith("claimName")) ??
        keys.template,
      evidence: reported.evidence,
    };
  },
};

const classMissing: Rule = {
  cause: "storage-class-missing",
  seen: "the claim of the pod, its event `ProvisioningFailed`, and the list of storage classes",
  remedy: "Use a storage class that exists, or create it.",
  find: (view) => {
    const reported = driverSchedulerMessage(view);
    const claim = pendingClaims(view).find((one) => one.missingClass !== undefined);
    if (reported === undefined || claim === undefined || !/unbound|storageclass/i.test(reported.text)) return undefined;
    const events = claim.events.filter(({ message }) => /storageclass/i.test(message ?? ""));
    return {
      message: `The claim ${claim.name} requests the storage class ${claim.missingClass}, which does not exist.`,
      key: claimKey(view, "storageClass"),
      evidence: [...reported.evidence, ...events.map(eventEvidence)],
    };
  },
};

const claimUnbound: Rule = {
  cause: "pvc-unbound",
  seen: "condition `PodScheduled` of the pod, and the claim that is `Pending`",
  remedy: "Set a storage class on the claim, or create a volume that fits.",
  find: (view) => {
    const reported = driverSchedulerMessage(view);
    if (reported === undefined || !/unbound immediate PersistentVolumeClaims/i.test(reported.text)) return undefined;
    const claim = pendingClaims(view).find((one) => one.missingClass === undefined && one.isKnown);
    if (claim === undefined) return undefined;
    const why = claim.events.at(-1)?.message ?? "no persistent volume fits it";
    return {
      message: `The claim ${claim.name} is Pending: ${why}.`.replace(/\.\.$/, "."),
      key: claimKey(view, "storageClass"),
      evidence: [...reported.evidence, ...claim.events.slice(-1).map(eventEvidence)],
      isTerminal: claim.className === undefined,
    };
  },
};

function driverSchedulerMessage({ driver }: View) {
  return driver === undefined || driver.isScheduled ? undefined : schedulerText(driver);
}

function claimKey({ properties }: View, option: string): string {
  return (
    keyWithin(properties, keys.volume, (_value, name) => name.endsWith(option)) ??
    keyWithin(properties, keys.volume, (_value, name) => /^persistentVolumeClaim\..*claimName$/.test(name))?.replace(
      /claimName$/,
      option,
    ) ??
    keys.template
  );
}

interface PendingClaim {
  readonly name: string;
  /** Name in the claim. */
  readonly className: string | undefined;
  readonly missingClass: string | undefined;
  /** Whether events or elapsed time are enough to know the cause. */
  readonly isKnown: boolean;
  readonly events: readonly Event[];
}

function pendingClaims(view: View): readonly PendingClaim[] {
  const { driver } = view;
  if (driver === undefined) return [];
  const isOld =
    view.now - Math.max(0, ...driver.events.slice(0, 1).map((event) => eventTimes(event).first)) >= claimTimeoutMs;
  return claimedBy(driver.spec).flatMap((name) => {
    const claim = objectsOf(view, "PersistentVolumeClaim").find(({ metadata }) => metadata.name === name);
    if (isFields(claim?.["status"]) && claim["status"]["phase"] === "Bound") return [];
    const events = view.events.filter(
      ({ involvedObject }) => involvedObject?.kind === "PersistentVolumeClaim" && involvedObject.name === name,
    );
    const spec = isFields(claim?.["spec"]) ? claim["spec"] : {};
    const className =
      typeof spec["storageClassName"] === "string" && spec["storageClassName"] !== ""
        ? spec["storageClassName"]
        : undefined;
    const reported = events
      .map(({ message = "" }) => /storageclass\S* "([^"]+)" not found/i.exec(message)?.[1])
      .find((one) => one !== undefined);
    const isGuessed = className !== undefined && events.length === 0 && isOld && !hasClass(view, className);
    return [
      {
        ...{ name, className, events },
        missingClass: reported ?? (isGuessed ? className : undefined),
        isKnown: isOld || events.some(isRejectionEvent) || (claim !== undefined && className === undefined),
      },
    ];
  });
}

/** Whether an event is a rejection. Other events only report the progress of a volume. */
function isRejectionEvent({ type, reason = "" }: Event): boolean {
  return type === "Warning" || reason === "FailedBinding";
}

function hasClass(view: View, name: string): boolean {
  return objectsOf(view, "StorageClass").some(({ metadata }) => metadata.name === name);
}

const attachFailed: Rule = {
  cause: "attach-failed",
  seen: "event `FailedAttachVolume`, or a VolumeAttachment that is not attached",
  remedy: "Check the volume and the driver that attaches it; another pod or node may hold it.",
  find: (view) => {
    const { driver } = view;
    if (driver === undefined) return undefined;
    const event = lastingEvent(driver, ["FailedAttachVolume"], /[\s\S]/) ?? unattachedEvent(driver);
    if (event === undefined) return unresponsiveAttach(view, driver);
    const { message = "" } = event;
    const volume = /for volume "([^"]+)"|unattached volumes=\[([^\]]+)\]/
      .exec(message)
      ?.slice(1)
      .find((one) => one !== undefined);
    return {
      message: `The volume ${volume ?? ""} of the driver${inNames(claimedBy(driver.spec))} is not attached to the node ${driver.spec.nodeName ?? ""}: ${shortened(message)}`,
      key: keyWithin(view.properties, keys.volume, (_value, name) => name.endsWith("claimName")) ?? keys.template,
      evidence: [eventEvidence(event)],
      isTerminal: !/Multi-Attach|being deleted|still attached|already (?:used|exclusively)/i.test(message),
    };
  },
};

/** Finds the event if all unattached volumes are claims. Older kubelets name every volume here. */
function unattachedEvent(driver: PodView): Event | undefined {
  const claims = (driver.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [name],
  );
  const event = lastingEvent(driver, ["FailedMount"], /unattached volumes=\[[^\]]+\]/);
  const names = /unattached volumes=\[([^\]]+)\]/.exec(event?.message ?? "")?.[1]?.split(/[ ,]+/) ?? [];
  return names.length > 0 && names.every((name) => claims.includes(name)) ? event : undefined;
}

/** Finds a missing storage driver, about which the cluster reports nothing for two minutes. */
function unresponsiveAttach(view: View, driver: PodView) {
  const claims = claimedBy(driver.spec);
  const since = driver.events.find(({ reason }) => reason === "Scheduled");
  const hasNoEvents = driver.events.every(
    ({ reason = "", message = "" }) =>
      /^(Scheduled|FailedScheduling|TriggeredScaleUp)$/.test(reason) ||
      (reason === "FailedMount" && ofObjects.test(message)),
  );
  if (claims.length === 0 || since === undefined || !hasNoEvents || !isBeforeSandbox(driver) || driver.isTerminating)
    return undefined;
  if (view.now - eventTimes(since).last < attachTimeoutMs || isMounted(view, claims)) return undefined;
  const waiting = objectsOf(view, "VolumeAttachment").find(
    ({ spec, status }) =>
      isFields(spec) && spec["nodeName"] === driver.spec.nodeName && !(isFields(status) && status["attached"] === true),
  );
  const attacher = isFields(waiting?.["spec"]) ? waiting["spec"]["attacher"] : undefined;
  return {
    message: `The volume of the driver${inNames(claims)} is not attached to the node ${driver.spec.nodeName ?? ""} yet${typeof attacher === "string" ? `; ${attacher} should do that` : ""}.`,
    evidence: [
      waiting === undefined ? podEvidence("driver", claims[0] ?? "") : quote("object", waiting.metadata.name ?? ""),
    ],
    isTerminal: false,
  };
}

/** Whether the volume of a claim is of a kind that is mounted without being attached. */
function isMounted(view: View, claims: readonly string[]): boolean {
  return objectsOf(view, "PersistentVolume").some(
    ({ spec }) =>
      isFields(spec) &&
      isFields(spec["claimRef"]) &&
      claims.includes(String(spec["claimRef"]["name"])) &&
      ["nfs", "hostPath", "local"].some((kind) => spec[kind] !== undefined),
  );
}

const mountFailed: Rule = {
  cause: "mount-failed",
  seen: "event `FailedMount`",
  remedy: "Check the volume and whether the nodes can mount it.",
  find: (view) => {
    const { driver } = view;
    if (driver === undefined) return undefined;
    const event =
      lastingEvent(driver, ["FailedMount", "FailedMapVolume"], /^MountVolume|^MapVolume/) ??
      lastingEvent(driver, ["FailedMount", "FailedMapVolume"], /[\s\S]/);
    if (event === undefined) return undefined;
    const { message = "" } = event;
    const volume =
      /for volume "([^"]+)"/.exec(message)?.[1] ?? /unmounted volumes=\[([^\]]+)\]/.exec(message)?.[1] ?? "";
    const isFleeting = fleeting.test(message);
    return {
      message: `The volume ${volume} of the driver${inNames(sourceOf(driver, volume))} cannot be mounted on the node: ${shortened(message)}`,
      key:
        keyWithin(view.properties, keys.volume, (_value, name) =>
          new RegExp(`^\\w+\\.${volume.replace(/\W/g, ".")}\\.options\\.(path|server|claimName|storageClass)$`).test(
            name,
          ),
        ) ?? keys.template,
      evidence: [eventEvidence(event)],
      isTerminal: !isFleeting,
    };
  },
};

const fleeting = /object "[^"]*"\/"[^"]*" not registered|failed to sync \w+ cache|kube-root-ca\.crt/;

/** Failed mounts of ConfigMaps and Secrets, for which there are other rules. */
const ofObjects = /(configmaps?|secrets?) "[^"]+" not found|references non-existent (config|secret) key/;

/**
 * Finds an event about mounting that is still relevant: the pod has made no progress since, and the problem is not a short delay.
 */
function lastingEvent(driver: PodView, reasons: readonly string[], pattern: RegExp): Event | undefined {
  if (!isBeforeSandbox(driver)) return undefined;
  return driver.events.findLast((event) => {
    const { reason = "", message = "" } = event;
    if (!reasons.includes(reason) || !pattern.test(message) || ofObjects.test(message)) return false;
    return !fleeting.test(message) || lastedMs(event) >= 60_000;
  });
}

/** Returns whether the pod has not started: no image pulled, no container created. */
export function isBeforeSandbox(driver: PodView): boolean {
  return (
    driver.containers.every(
      ({ hasStarted, state: { waiting } }) =>
        !hasStarted && ["", "ContainerCreating", "PodInitializing"].includes(waiting?.reason ?? ""),
    ) && !driver.events.some(({ reason = "" }) => /^(Pulling|Pulled|Created|Started)$/.test(reason))
  );
}

/**
 * Whether a ConfigMap or Secret has been missing for too long. Objects of the submission itself are created after the pod, so
 * the first attempts to mount them fail. Other objects must exist at once.
 */
export function isMissedForLong(event: Event, name: string, view: View): boolean {
  if (!isOfSubmission(name, view)) return eventCount(event) > 1 || view.now - eventTimes(event).first >= 1_000;
  // The kubelet retries after 0.5 s, 1 s and 2 s: an object that was missing at most twice exists by now.
  return eventCount(event) > 2 && view.now - eventTimes(event).first >= lateObjectMs;
}

/** Whether an object belongs to the submission, by a name that Spark derives from the driver's. */
export function isOfSubmission(name: string, { driver }: View): boolean {
  const prefix = driver?.name.replace(/-driver$/, "-") ?? "";
  return /^spark-(drv|exec)-[0-9a-f]+-/.test(name) || (prefix !== "" && name.startsWith(prefix));
}

function lastedMs(event: Event): number {
  const { first, last } = eventTimes(event);
  return last - first;
}

/** Returns the path, server or claim of a volume. */
function sourceOf({ spec: { volumes = [] } }: PodView, name: string): readonly string[] {
  const volume = volumes.find((one) => one.name === name);
  if (volume?.hostPath !== undefined) return [volume.hostPath.path];
  if (volume?.nfs !== undefined) return [`${volume.nfs.server}:${volume.nfs.path}`];
  const claim = volume?.persistentVolumeClaim?.claimName;
  return claim === undefined ? [] : [`claim ${claim}`];
}

function inNames(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

/** The output of the mount command is the most informative part. Its command line is not. */
function shortened(message: string): string {
  const text = message.replace(/^(?:\w+\.\w+ failed|Multi-Attach error) for volume "[^"]*" ?:? ?/, "");
  const output = /^Output: (.*)/m.exec(text)?.[1];
  return [/^.*/.exec(text)?.[0] ?? "", output]
    .filter((part) => part !== undefined && part !== "")
    .join("; ")
    .trim();
}

/** Rules for claims that prevent the scheduling of a pod. */
export const claimRules: readonly Rule[] = [claimMissing, classMissing, claimUnbound];

/** Rules for volumes that prevent the start of a pod. */
export const mountRules: readonly Rule[] = [attachFailed, mountFailed];
