import { parseInstant } from "../../values/instant.ts";
import { eventEvidence, findLine, logEvidence, podEvidence, quote } from "../evidence.ts";
import { findFailure } from "../failure.ts";
import { memoryAdvice } from "../memory-advice.ts";
import type { PodView } from "../pod-view.ts";
import { programLines } from "../program-lines.ts";
import { pullFailures } from "../pull-failure.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys, keyWithin } from "../settings.ts";
import { configTexts } from "../start-texts.ts";
import type { View } from "../view.ts";
import { pullFinding, waitingFinding } from "./image.ts";
import { ofLostExecutor, oomKilledExecutors, reportedOom } from "./lost-executors.ts";
import { lostWorkRules } from "./lost-work.ts";
import { type PullProblem, pullProblemIn } from "./pull-problems.ts";
import { exitEvidence } from "./run.ts";
import { unschedulable } from "./scheduling.ts";
import { isMissedForLong } from "./volumes.ts";

/** Builds a rule about executors, which applies while the driver waits for them, or if it failed because of them. */
function executorRule(
  { cause, seen, remedy }: Pick<Rule, "cause" | "seen" | "remedy">,
  find: (view: View, driver: PodView) => Finding | undefined,
): Rule {
  return {
    ...{ cause, seen, remedy },
    find: (view) => {
      const { driver, stage } = view;
      if (driver === undefined || (stage !== "running" && stage !== "endedBadly")) return undefined;
      return find(view, driver);
    },
  };
}

const versionMismatch = executorRule(
  {
    cause: "executor-version-mismatch",
    seen: "`InvalidClassException … local class incompatible` in the log of executor or driver",
    remedy: "Use the same Spark, and the same Scala, in the images of driver and executors.",
  },
  ({ executors, properties }, driver) => {
    const pattern =
      /InvalidClassException: (?:org\.apache\.spark|scala)\S*.*(?:local class incompatible|serialVersionUID)|(?:NoSuchMethodError|NoClassDefFoundError|NoSuchFieldError|AbstractMethodError|ClassNotFoundException): '?.*(?:org[./]apache[./]spark|scala[./])/;
    const weak = (text: string) => !text.includes("InvalidClassException");
    for (const pod of executors) {
      const found = findLine(pod.main.log, pattern);
      if (found === undefined || (weak(found.line.text) && pod.main.image === driver.main.image)) continue;
      const ownLine = findLine(driver.main.log, /InvalidClassException/);
      return {
        message: mismatchMessage(pod.main.image, driver.main.image),
        key: keys.executorImage,
        evidence: [
          logEvidence(pod.main, found.line),
          ...(ownLine === undefined ? [] : [logEvidence(driver.main, ownLine.line)]),
        ],
      };
    }
    const ownLine = findLine(
      driver.main.log,
      /InvalidClassException: (?:org\.apache\.spark|scala)\S*.*local class incompatible/,
    );
    if (ownLine === undefined) return undefined;
    const image = executors[0]?.main.image ?? properties[keys.executorImage] ?? "";
    return {
      message: mismatchMessage(image, driver.main.image),
      key: keys.executorImage,
      evidence: [logEvidence(driver.main, ownLine.line)],
    };
  },
);

function mismatchMessage(executor: string, driver: string): string {
  return `The executor image ${executor} has another Spark version than the driver's (${driver}); executors end at once.`;
}

/**
 * An executor tries several times, which it logs as `Failed to connect to external shuffle server, will retry`, before it ends with
 * this text. The driver repeats it, when the pod may be gone.
 *
 * Source: logs of executors and drivers of Spark 3.5.9 and 4.3.0.
 */
const registrationFailure =
  /Unable to register with external shuffle server due to ?: (?:[\w.$]+(?:Exception|Error): )*(.*)$/;

const shuffleServiceMissing = executorRule(
  {
    cause: "executor-shuffle-service-missing",
    seen: "`Unable to register with external shuffle server` in the log of an executor, or of the driver",
    remedy:
      "Run the shuffle service on each node and use its profile, or let Spark track shuffle data without a service.",
  },
  ({ executors, properties }, driver) => {
    const found = [...executors.map(({ main }) => main), driver.main].flatMap((main) => {
      const line = findLine(main.log, registrationFailure);
      return line === undefined ? [] : [{ main, ...line }];
    })[0];
    if (found === undefined) return undefined;
    const reason = found.match[1]?.trim().replace(/\.$/, "") ?? "";
    const isSet = properties[keys.shuffleService] !== undefined;
    return {
      ...registrationFinding(reason, isSet ? `, because ${keys.shuffleService} is true` : ""),
      evidence: [logEvidence(found.main, found.line)],
    };
  },
);

/** Builds the finding for a registration that failed: nothing responded at the address, or a service rejected it. */
function registrationFinding(reason: string, because: string): Pick<Finding, "message" | "nextStep" | "key"> {
  const detail = reason === "" ? "" : ` (${reason})`;
  if (/localDirs entr/.test(reason)) {
    return {
      message: `Executors end because the shuffle service on their node rejects their local directories${detail}.`,
      nextStep: `Set ${keys.shuffleProfile}=service, and ${keys.shuffleDirectories} to the directories of the service.`,
      key: keys.shuffleDirectories,
    };
  }
  if (/[Aa]uthenticat|SASL|challenge|secret/.test(reason)) {
    return {
      message: `Executors end because they cannot authenticate to the shuffle service on their node${detail}.`,
      nextStep: `Give the application and the service the same ${keys.authenticate} and secret.`,
      key: keys.authenticate,
    };
  }
  return {
    message: `Executors end because they cannot register with a shuffle service at their own address${detail}${because}.`,
    nextStep: `Set ${keys.shuffleProfile}=service and run the shuffle service on each node, or set ${keys.shuffleProfile}=tracking, which needs none.`,
    key: keys.shuffleService,
  };
}

const cannotReachDriver = executorRule(
  {
    cause: "executor-cannot-reach-driver",
    seen: "log of an executor that never registered (`UnknownHostException`, `Failed to connect to`)",
    remedy: "Leave the address of the driver to the submission, and repair its Service or the network policy.",
  },
  ({ executors, properties }) => {
    const pattern =
      /UnknownHostException: (\S+)|Failed to connect to ([^\s/]+)|Connection (?:refused|timed out)[^:]*: (\S+)|Cannot receive any reply from (\S+)|Connecting to (\S+) timed out/;
    for (const { main } of executors) {
      if (hasRegistered(main.log.map(({ text }) => text))) continue;
      const found = findLine(main.log, /UnknownHostException: (\S+)/) ?? findLine(main.log, pattern);
      if (found === undefined) continue;
      const host = found.match.slice(1).find((one) => one !== undefined) ?? "";
      const driverHost = properties[keys.driverHost];
      const named = driverHost === undefined || host.includes(driverHost) ? host : `${driverHost} (${host})`;
      const how = /UnknownHost/.test(found.line.text) ? "resolve" : "connect to";
      return {
        message: `Executors cannot ${how} ${named.replace(/[,;.]+$/, "")}, the address of the driver.`,
        key: keys.driverHost,
        evidence: [logEvidence(main, found.line)],
      };
    }
    return undefined;
  },
);

function hasRegistered(lines: readonly string[]): boolean {
  return lines.some((text) => /Successfully registered with driver|Got assigned task|Starting executor ID/.test(text));
}

const oomKilled = executorRule(
  {
    cause: "executor-oom-killed",
    seen: "status of executors (`OOMKilled`)",
    remedy: "Raise the memory overhead of the executors.",
  },
  (view, driver) => {
    const dead = oomKilledExecutors(view);
    const [first] = dead;
    if (first === undefined) return oomOfRemovedExecutor(view, driver);
    const { limit, parts, nextStep, key } = memoryAdvice(first, view.properties);
    const lost = view.stage === "endedBadly" ? findLine(driver.main.log, ofLostExecutor) : undefined;
    const many = dead.length === 1 ? "An executor was" : `${dead.length} executors were`;
    return {
      message: `${many} killed (OOMKilled, exit status 137): over the memory limit of ${limit}${parts}${lost === undefined ? "" : "; the job was aborted for that"}.`,
      ...{ nextStep, key },
      evidence: [
        podEvidence("executor", "OOMKilled"),
        ...(lost === undefined ? [] : [logEvidence(driver.main, lost.line)]),
      ],
    };
  },
);

/** Builds the finding for executors whose pods no longer exist. */
function oomOfRemovedExecutor(view: View, driver: PodView): Finding | undefined {
  const oom = reportedOom(view);
  const lost = findLine(driver.main.log, ofLostExecutor);
  if (oom === undefined || lost === undefined || view.stage !== "endedBadly") return undefined;
  return {
    message:
      "An executor was killed at its memory limit (exit status 137), as the driver reports; the job was aborted for that.",
    nextStep: `Raise ${keys.executorMemoryOverhead}.`,
    key: keys.executorMemoryOverhead,
    evidence: [logEvidence(driver.main, oom.line), logEvidence(driver.main, lost.line)],
  };
}

const imageNameInvalid = executorRule(
  {
    cause: "executor-image-name-invalid",
    seen: "status of executors (`InvalidImageName`, `ErrImagePull`)",
    remedy: "Correct the name of the image of the executors: repository names are lower case.",
  },
  ({ executors }) =>
    first(
      executors,
      (pod) =>
        waitingFinding(pod, /^InvalidImageName$/, (image) => ({
          message: `${image} is not a valid image name; no executor can start.`,
          key: keys.executorImage,
        })) ?? unpulled(pod, ({ cause }) => cause === "image-name-invalid"),
    ),
);

const imageNotFound = executorRule(
  {
    cause: "executor-image-not-found",
    seen: "status of executors (`ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`)",
    remedy: "Correct the image of the executors, or let the nodes pull it.",
  },
  ({ executors }) =>
    first(
      executors,
      (pod) =>
        unpulled(pod, () => true) ??
        waitingFinding(pod, /^ErrImageNeverPull$/, (image) => ({
          message: `The image ${image} of the executors is not on the node, and the pull policy is Never.`,
          key: keys.pullPolicy,
        })),
    ),
);

/** Builds the finding for an executor whose image cannot be pulled because of a selected problem. */
function unpulled(pod: PodView, isReserved: (problem: PullProblem) => boolean): Finding | undefined {
  const [failure] = pullFailures(pod);
  const problem = failure && pullProblemIn(failure.text);
  if (failure === undefined || problem === undefined || !isReserved(problem)) return undefined;
  const finding = pullFinding(failure, problem);
  return { ...finding, message: `${finding.message}; the driver waits for executors.` };
}

const secretMissing = executorRule(
  {
    cause: "executor-secret-missing",
    seen: "status of executors (`CreateContainerConfigError`) or the event `FailedMount`",
    remedy: "Create the secret, or correct its name.",
  },
  (view) =>
    first(view.executors, (pod) => {
      const pattern = /secrets? "([^"]+)" not found|couldn't find key (\S+) in Secret (?:[^/\s]+\/)?(\S+)/;
      const reported = configTexts(pod).find(({ text }) => pattern.test(text));
      const event = pod.main.hasStarted
        ? undefined
        : pod.events.findLast(({ reason, message = "" }) => reason === "FailedMount" && pattern.test(message));
      const match = pattern.exec(reported?.text ?? event?.message ?? "");
      if (match === null || pod.isTerminating) return undefined;
      const [, secret, secretKey, owner] = match;
      const name = secret ?? owner ?? "";
      if (reported === undefined && event !== undefined && !isMissedForLong(event, name, view)) return undefined;
      const lacks = secretKey === undefined ? "does not exist" : `has no key ${secretKey}`;
      return {
        message: `The secret ${name} of the executors ${lacks} in ${pod.namespace}; no executor can start.`,
        key:
          keyWithin(view.properties, keys.executorSecret, (_value, one) => one === name) ??
          keyWithin(view.properties, keys.executorSecretKeyRef, (value) => value.startsWith(`${name}:`)) ??
          keys.executorTemplate,
        evidence: [...(reported?.evidence ?? []), ...(event === undefined ? [] : [eventEvidence(event)])],
      };
    }),
);

const accountMissing = refusedRule("executor-account-missing", {
  pattern: /error looking up service account ([^/\s]+)\/([^:\s]+)/,
  remedy: "Create the service account, or name another for the executors.",
  explain: ([, namespace = "", name = ""]) => ({
    message: `Executors are rejected: their service account ${name} does not exist in ${namespace}.`,
    key: keys.executorAccount,
  }),
});

const quotaExceeded = refusedRule("executor-quota-exceeded", {
  pattern: /exceeded quota: ([^,\s]+), requested: (.+?), used: (.+?), limited: (\S*[^\s.,])/,
  remedy: "Raise the quota, or run with fewer or smaller executors.",
  explain: ([, quota = "", requested = "", used = "", limited = ""], properties) => ({
    message: `The quota ${quota} rejects executors: requested ${requested}, used ${used}, allowed ${limited}.`,
    key: properties[keys.dynamicAllocation] === "true" ? keys.maxExecutors : keys.executorInstances,
  }),
});

const rejected = refusedRule("executor-rejected", {
  pattern:
    /pods "[^"]+" (?:is (?:forbidden|invalid)): (?!exceeded quota|error looking up|User )(.+?)(?:\. Received status|$)|(admission webhook "[^"]+" denied the request.*?)(?:\. Received status|$)/,
  remedy: "Follow the instructions in the message; the pod template of the executors can set most fields.",
  explain: ([, reason, other]) => ({
    message: `Executors are rejected: ${(reason ?? other ?? "").trim().replace(/\.$/, "")}.`,
    key: keys.executorTemplate,
  }),
});

/** Builds a rule for the API's rejection of executors, which the driver logs. */
function refusedRule(
  cause: "executor-account-missing" | "executor-quota-exceeded" | "executor-rejected",
  {
    pattern,
    remedy,
    explain,
  }: {
    readonly pattern: RegExp;
    readonly remedy: string;
    readonly explain: (match: RegExpExecArray, properties: View["properties"]) => Pick<Finding, "message" | "key">;
  },
): Rule {
  return executorRule({ cause, seen: "the driver log (`Failed to create executor pod`)", remedy }, (view, driver) => {
    const found = findLine(programLines(driver.main.log), pattern);
    if (found === undefined) return undefined;
    const works = view.executors.some(({ main }) => main.state.running !== undefined);
    return {
      ...explain(found.match, view.properties),
      evidence: [logEvidence(driver.main, found.line)],
      isTerminal: !works,
    };
  });
}

const unschedulableExecutors = executorRule(
  {
    cause: "executor-unschedulable",
    seen: "condition `PodScheduled` of executors, and the event `FailedScheduling`",
    remedy: "Request less for executors, or add nodes that fit them.",
  },
  (view, driver) => {
    // All executors are equal: if one fits a node, the others only wait for free resources.
    if (view.executors.some(fitsNode)) return undefined;
    return first(view.executors, (pod) => {
      const found = unschedulable(view, pod);
      if (found === undefined) return undefined;
      if (found.finding.isTerminal === false && view.now - createdAt(pod) < freeNodeTimeoutMs) return undefined;
      const waits = findLine(driver.main.log, /Initial job has not accepted any resources/);
      return {
        ...found.finding,
        message: `No executor can start: ${found.finding.message.slice(0, 1).toLowerCase()}${found.finding.message.slice(1)}`,
        evidence: [...found.finding.evidence, ...(waits === undefined ? [] : [logEvidence(driver.main, waits.line)])],
      };
    });
  },
);

function fitsNode({ main, isScheduled, isDeleted }: PodView): boolean {
  return main.state.running !== undefined || (isScheduled && !isDeleted && main.end === undefined);
}

/** Time that executors may wait for others to end (ms): some start while the rest do. */
const freeNodeTimeoutMs = 8_000;

function createdAt({ pod }: PodView): number {
  return parseInstant(pod.metadata?.creationTimestamp) ?? 0;
}

const crashLoop = executorRule(
  {
    cause: "executor-crash-loop",
    seen: "status and logs of executors that end soon after they start, and exit status 11 of the driver",
    remedy: "Read the log of the executors.",
  },
  ({ executors, properties }, driver) => {
    const failed = executors.filter((pod) => hasCrashed(pod));
    const configured = findLine(driver.main.log, /Max number of executor failures \((\d+)\) reached/);
    const isEarly = failed.some(({ main }) => !hasRegistered(main.log.map(({ text }) => text)));
    const [one] = failed;
    if (configured === undefined && (one === undefined || (failed.length < 2 && !isEarly))) return undefined;
    const reason = executors.map(crashReason).find((text) => text !== undefined);
    const reported = reason?.text.trim() ?? one?.main.end?.message?.trim();
    const most = properties[keys.executorMaxFailures] ?? configured?.match[1];
    const status = driver.main.end?.exitCode;
    const ended =
      status === undefined
        ? ""
        : `; they failed more often than ${keys.executorMaxFailures}${most === undefined ? "" : `=${most}`} allows, and Spark ended with ${status}`;
    return {
      message: `Executors end soon after they start${reported === undefined || reported === "" ? "" : `: ${reported}`}${ended}.`,
      nextStep: `Read the log of an executor${one === undefined ? "" : ` (${one.name})`}.`,
      key:
        reason !== undefined && /VM|agent|JAR manifest|option/.test(reason.text) ? keys.executorJavaOptions : undefined,
      evidence: [
        ...(reason === undefined ? [] : [quote("executorLog", reason.text)]),
        ...(one === undefined ? [] : [podEvidence("executor", `${one.main.end?.reason ?? "Error"}`)]),
        ...(configured === undefined ? [] : [logEvidence(driver.main, configured.line)]),
        ...(status === undefined ? [] : [exitEvidence(driver)]),
      ],
      isTerminal: failed.length > 1 || configured !== undefined,
    };
  },
);

/** Whether an executor failed by itself: not because of the driver, a deletion or a node. */
function hasCrashed({ main, isTerminating, reason, pod }: PodView): boolean {
  if (main.end === undefined || [0, 143].includes(main.end.exitCode)) return false;
  if (main.end.reason === "ContainerStatusUnknown" || main.end.reason === "OOMKilled") return false;
  if (reason === "Evicted" || /^(Preempt|Shutdown|Terminated|NodeLost)/.test(reason)) return false;
  if (pod.status?.conditions?.some(({ type, status }) => type === "DisruptionTarget" && status === "True"))
    return false;
  return !(isTerminating && main.end.exitCode === 137);
}

function crashReason({ main }: PodView) {
  if (main.end === undefined || main.end.exitCode === 0) return undefined;
  return (
    findLine(
      main.log,
      /Error opening zip file|Could not find agent library|Unrecognized (?:VM )?option|VM option '|Could not reserve enough space|Invalid maximum heap size|exec format error/,
    )?.line ??
    findFailure(main.log)?.head ??
    findLine(main.log, /ERROR (?!.*RECEIVED SIGNAL)|^Error|Exception/)?.line
  );
}

function first(pods: readonly PodView[], find: (pod: PodView) => Finding | undefined): Finding | undefined {
  for (const pod of pods) {
    const found = pod.isDeleted ? undefined : find(pod);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Rules for causes that keep executors from working for the driver. */
export const executorRules: readonly Rule[] = [
  versionMismatch,
  accountMissing,
  quotaExceeded,
  shuffleServiceMissing,
  cannotReachDriver,
  oomKilled,
  ...lostWorkRules,
  rejected,
  imageNameInvalid,
  imageNotFound,
  secretMissing,
  unschedulableExecutors,
  crashLoop,
];
