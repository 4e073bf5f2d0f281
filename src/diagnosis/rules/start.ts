import type { CauseName } from "../causes.ts";
import type { ContainerView } from "../container-view.ts";
import { eventEvidence } from "../evidence.ts";
import type { PodView } from "../pod-view.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import { configTexts, type StartText, startTexts } from "../start-texts.ts";
import { sentence, titleOf } from "../view.ts";
import { isBeforeSandbox } from "./volumes.ts";

/** Reason why a runtime cannot start a container: the messages of runc, crun, containerd, CRI-O and Docker, and the explanation. */
interface Row {
  readonly cause: CauseName;
  readonly pattern: RegExp;
  /** Condition on the container, when the message alone is ambiguous. */
  readonly fits?: (container: ContainerView, text: string) => boolean;
  readonly remedy: string;
  readonly explain: (match: RegExpExecArray, title: string, container: ContainerView) => string;
}

const rows: readonly Row[] = [
  {
    cause: "security-profile-missing",
    pattern: /seccomp|apparmor/i,
    remedy: "Install the profile on the nodes, or correct the profile in the pod template.",
    explain: ({ input }, title) =>
      `The security profile ${
        /"([^"]*(?:seccomp|profiles?)[^"]*)"|profile not found:? (\S+)|profile "([^"]+)"/
          .exec(input)
          ?.slice(1)
          .find((one) => one !== undefined) ?? ""
      } of ${title} is not on the node: ${input}`,
  },
  {
    cause: "working-directory-invalid",
    pattern:
      /chdir to cwd \(\\?"([^"\\]+)|(?:cwd|working directory) .*?['"`]?(\/[^'"`\s:]+)|mkdir (\S+): [^:]*\bcwd\b|cwd must be an absolute path|chdir to [`'"]([^`'"]+)|chdir\(?["`']([^"`']+)/i,
    remedy: "Correct workingDir in the pod template.",
    explain: workingDirectoryMessage,
  },
  {
    cause: "working-directory-invalid",
    pattern: /mkdir|chdir|cwd|not a directory|no such file|permission denied/i,
    fits: ({ spec }, text) => namesDirectory(text, spec?.workingDir ?? ""),
    remedy: "Correct workingDir in the pod template.",
    explain: workingDirectoryMessage,
  },
  {
    cause: "user-unknown",
    pattern: /unable to find (?:user|group) (\S+?):|no matching entries in (?:passwd|group) file/,
    remedy: "Use an image that has the user, or set runAsUser to a number.",
    explain: ([fullText, user], title) => `The user ${user ?? ""} of ${title} is not in the image: ${fullText}.`,
  },
  {
    cause: "exec-format-error",
    pattern: /exec format error/i,
    remedy: "Use an image for the platform of the node, or add the #! line to the script.",
    explain: ({ input }, title) =>
      `${sentence(commandIn(input) || "the entry point")} of ${title} cannot be executed: exec format error (another platform, or a script without #! line).`,
  },
  {
    cause: "command-not-executable",
    pattern: /(?:exec|executable|open executable)[\s\S]*permission denied|permission denied[\s\S]*exec/i,
    remedy: "Make the command executable in the image, or run it with a shell.",
    explain: ({ input }, title) =>
      `The command ${commandIn(input)} of ${title} may not be executed: permission denied.`,
  },
  {
    cause: "command-not-found",
    pattern:
      /exec: [\s\S]*(?:no such file or directory|not found)|executable file [\s\S]* not found|executable not found|no command specified/i,
    remedy: "Correct or remove command in the pod template: Spark's image has its own entry point.",
    explain: ({ input }, title) =>
      `The command ${commandIn(input)} of ${title} is not in the image: ${lastPart(input)}.`,
  },
  {
    cause: "container-start-failed",
    pattern: /[\s\S]/,
    remedy: "Read the message of the node's runtime: it names the failed step.",
    explain: ({ input }, title) => `The container runtime cannot start ${title}: ${tail(input)}`,
  },
];

function commandIn(text: string): string {
  return (
    /exec: \\?"([^"\\]+)\\?"/.exec(text)?.[1] ??
    /executable file [`'"]?([^`'"\s]+?)[`'"]? not found/.exec(text)?.[1] ??
    /exec (\S+):/.exec(text)?.[1] ??
    ""
  );
}

/** Whether a message names a directory, or the part of it that could not be created. */
function namesDirectory(text: string, directory: string): boolean {
  if (directory.length > 1 && text.includes(directory)) return true;
  const made = /\bmkdir (\/[^\s:"]+): /.exec(text)?.[1];
  return made !== undefined && directory.startsWith(`${made}/`);
}

function workingDirectoryMessage({ input }: RegExpExecArray, title: string, { spec }: ContainerView): string {
  return `The working directory ${spec?.workingDir ?? ""} of ${title} cannot be used: ${lastPart(input)}.`;
}

function lastPart(text: string): string {
  return text
    .replace(/: unknown$/, "")
    .split(": ")
    .slice(-2)
    .join(": ")
    .trim();
}

function tail(text: string): string {
  return text.replace(/^.*?(error (?:during container init|mounting)|failed to )/s, "$1").trim();
}

function startRule(row: Row): Rule {
  const { cause, pattern, remedy, explain } = row;
  return {
    cause,
    seen: "status of the container (`StartError`, `CreateContainerError`, `RunContainerError`) and the event `Failed`",
    remedy,
    find: ({ driver }) => {
      const found = driver && ownStartTexts(driver).find((one) => firstRow(one) === row);
      const match = found && pattern.exec(found.text);
      if (driver === undefined || found === undefined || !match) return undefined;
      return {
        message: explain(match, titleOf(driver, found.container), found.container),
        key: cause === "exec-format-error" ? keys.image : keys.template,
        evidence: [...found.evidence].sort((a, b) => b.text.length - a.text.length),
      };
    },
  };
}

/** Excludes sidecars: one that cannot start does not stop the driver. */
function ownStartTexts(driver: PodView): readonly StartText[] {
  const known = /secrets? "|configmaps? "|couldn't find key|non-root|runAsNonRoot/i;
  return [...startTexts(driver), ...configTexts(driver)].filter(
    ({ container, text }) => container.kind !== "sidecar" && text !== "" && !known.test(text),
  );
}

function firstRow({ text, container }: StartText): Row | undefined {
  return rows.find(({ pattern, fits }) => pattern.test(text) && (fits === undefined || fits(container, text)));
}

/** Rule for a sandbox failure: the pod's network, or its runtime. */
function sandboxRule(
  cause: CauseName,
  {
    pattern,
    remedy,
    explain,
  }: {
    readonly pattern: RegExp;
    readonly remedy: string;
    readonly explain: (text: string, match: RegExpExecArray, pod: PodView) => Finding["message"];
  },
): Rule {
  return {
    cause,
    seen: "event `FailedCreatePodSandBox`",
    remedy,
    find: ({ driver }) => {
      if (driver === undefined || !isBeforeSandbox(driver)) return undefined;
      const event = driver.events.findLast(({ reason = "" }) =>
        /^(FailedCreatePodSandBox|NetworkNotReady|FailedCreatePodContainer)$/.test(reason),
      );
      const text = event?.message ?? "";
      const match = pattern.exec(text);
      if (event === undefined || match === null) return undefined;
      return {
        message: explain(text.replace(/^.*?desc = /s, ""), match, driver),
        key: cause === "pod-network-failed" ? undefined : keys.template,
        evidence: [eventEvidence(event)],
        isTerminal: cause !== "pod-network-failed",
      };
    },
  };
}

const network = /network|\bcni\b|no (?:available )?IP addresses|failed to allocate for range|ipam|plugin type=/i;

const sandboxRules: readonly Rule[] = [
  sandboxRule("runtime-class-missing", {
    pattern: /RuntimeClass(?:\.node\.k8s\.io)? "([^"]+)" not found/,
    remedy: "Create the RuntimeClass, or correct runtimeClassName in the pod template.",
    explain: (_text, [, name = ""]) => `There is no RuntimeClass named ${name}.`,
  }),
  sandboxRule("security-profile-missing", {
    pattern: /seccomp|apparmor/i,
    remedy: "Install the profile on the nodes, or correct the profile in the pod template.",
    explain: (text) => `A security profile of the pod is not on the node: ${text}`,
  }),
  sandboxRule("pod-network-failed", {
    pattern: network,
    remedy: "Wait until pods end, or enlarge or repair the pod network.",
    explain: (text) =>
      `The pod network gives the driver no IP address: ${text.replace(/^.*?(plugin type=|failed to allocate|failed to set ?up network[^:]*: )/s, "$1")}`,
  }),
  sandboxRule("sandbox-failed", {
    pattern: /[\s\S]/,
    remedy: "Install what is missing on the nodes, or drop runtimeClassName from the pod template.",
    explain: (text, _match, { spec }) =>
      `The sandbox of the driver pod cannot be created${spec.runtimeClassName === undefined ? "" : ` (RuntimeClass ${spec.runtimeClassName})`}: ${text}`,
  }),
];

/** Rules for causes that keep a container of the driver's pod from being created or started. */
export const startRules: readonly Rule[] = [...rows.map(startRule), ...sandboxRules];
