import type { CauseName } from "../causes.ts";
import { findLine, logEvidence } from "../evidence.ts";
import { type Failure, findFailure } from "../failure.ts";
import type { LogLine } from "../observation.ts";
import type { PodView } from "../pod-view.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import type { View } from "../view.ts";
import { exitEvidence } from "./run.ts";
import { invalidSetting } from "./setting-invalid.ts";

/** What a row of the table has found in the driver log. */
export interface Found {
  readonly match: RegExpExecArray;
  readonly line: LogLine;
  readonly failure: Failure | undefined;
  readonly driver: PodView;
  readonly view: View;
}

type Words = Pick<Finding, "message" | "nextStep" | "key">;

/** What the driver log says, and what that means. */
interface Row {
  readonly cause: CauseName;
  readonly pattern: RegExp;
  /**
   * `failure`: in the exception that ended the driver. `log`: anywhere, as the words are decisive by themselves.
   */
  readonly scope: "failure" | "log";
  /** Decisive while the driver still runs, too. */
  readonly isAtOnce?: RegExp;
  readonly remedy: string;
  readonly say: (found: Found) => Words | undefined;
}

const account = (user: string) => /^system:serviceaccount:[^:]+:(.+)$/.exec(user)?.[1] ?? user;

const rows: readonly Row[] = [
  {
    cause: "driver-pod-not-found",
    scope: "log",
    pattern: /No pod was found named (\S+) in the cluster in the namespace (\S+)/,
    isAtOnce: /[\s\S]/,
    remedy: "Leave the name of the driver pod to the submission, or make the setting and the pod agree.",
    say: ({ match: [, name = "", namespace = ""] }) => ({
      message: `The driver does not find its own pod: there is none named ${name} in the namespace ${namespace}.`,
      key: keys.driverPodName,
    }),
  },
  {
    cause: "driver-forbidden",
    scope: "log",
    pattern:
      /forbidden: User "([^"]+)" cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?/,
    // A right to clean up that lacks at the end spoils nothing.
    isAtOnce: /cannot (create|get|list|watch) resource "(pods|services|configmaps)"/,
    remedy:
      "Grant the right to the service account of the driver, or name an account that has the role edit.",
    say: ({ match: [, user = "", verb = "", resource = "", group = "", namespace = ""] }) => ({
      message: `The account ${user} of the driver may not ${verb} ${resource}${group === "" ? "" : `.${group}`}${namespace === "" ? "" : ` in ${namespace}`}.`,
      nextStep: `Grant ${verb} on ${resource} to the account ${account(user)}, or name an account that has the role edit.`,
      key: keys.driverAccount,
    }),
  },
  {
    cause: "jvm-heap-too-large",
    scope: "log",
    pattern:
      /Could not reserve enough space for .*heap|Invalid maximum heap size.*|exceeds the maximum representable size|Initial heap size set to a larger value.*|insufficient memory for the Java Runtime Environment|os::commit_memory.*failed/,
    remedy: "Ask for a smaller heap, or for more memory in the pod.",
    say: ({ match: [what], view: { properties }, driver }) => ({
      message: `The JVM of the driver cannot reserve its heap (${heapSettings(properties)}, memory limit ${driver.main.spec?.resources?.limits?.["memory"] ?? "none"}): ${what}.`,
      key: keys.driverMemory,
    }),
  },
  {
    cause: "jvm-option-invalid",
    scope: "log",
    pattern:
      /(?:Unrecognized VM option|Improperly specified VM option|Missing \+\/- setting for VM option|Unexpected \+\/- setting in VM option) '([^']+)'|Unrecognized option: (\S+)|VM option '([^']+)' is (?:experimental|diagnostic)|Error opening zip file or JAR manifest missing ?: ?(\S+)|Could not find agent library (\S+)|(Conflicting collector combinations[^;]*|(?:Invalid|Unsupported|Bad) [^:]*option.*|Error: Could not create the Java Virtual Machine)/,
    remedy: "Correct the options of the JVM.",
    say: ({ match: [whole, ...parts] }) => {
      const option = parts.find((part) => part !== undefined) ?? whole;
      return {
        message: `The JVM of the driver does not accept ${option}: ${whole}.`,
        key: keys.driverJavaOptions,
      };
    },
  },
  {
    cause: "exec-format-error",
    scope: "log",
    pattern: /exec format error/i,
    remedy: "Use an image for the platform of the node, or add the #! line to the script.",
    say: ({ line: { text } }) => ({
      message: `${
        /exec (\S+): exec format|(\S+): cannot execute binary/i
          .exec(text)
          ?.slice(1)
          .find((one) => one !== undefined) ?? "The entry point"
      } cannot be executed: exec format error (another platform, or a script without #! line).`,
      key: keys.image,
    }),
  },
  {
    cause: "user-unknown",
    scope: "log",
    pattern:
      /basedir must be absolute: \?|invalid null input: name|getpwuid\(\): uid not found|no such user|I have no name!|unable to find user/i,
    remedy: "Use an image whose entry point adds the user, or set runAsUser to 185.",
    say: ({ driver, match: [what] }) => {
      const id = driver.main.spec?.securityContext?.runAsUser ?? driver.spec.securityContext?.runAsUser;
      return {
        message: `The user id ${id ?? ""} of the driver has no name, and so no home, in the image: ${what}.`,
        key: keys.template,
      };
    },
  },
  {
    cause: "read-only-file-system",
    scope: "log",
    pattern: /Read-only file system/,
    remedy: "Mount an emptyDir where the driver writes (/tmp for example) in the pod template.",
    say: ({ line: { text } }) => {
      const path = /(\/[^\s:'"’]+)['"’]?:? ?Read-only|Read-only file system: '(\/[^']+)'/
        .exec(text)
        ?.slice(1)
        .find((one) => one !== undefined);
      return {
        message: `The driver cannot write ${path ?? "its files"}: the root file system is read-only.`,
        nextStep: `Mount an emptyDir at ${path === undefined ? "/tmp" : `/${path.split("/")[1] ?? "tmp"}`} in the pod template, or allow a writable root.`,
        key: keys.template,
      };
    },
  },
  {
    cause: "python-missing",
    scope: "log",
    pattern: /Cannot run program "([^"]*python[^"]*)"|env: ['‘]?(python[\d.]*)['’]?: No such file/i,
    remedy: "Name an interpreter that is in the image, or use another image.",
    say: ({ match: [, program, other] }) => ({
      message: `The Python interpreter ${program ?? other ?? ""} is not in the image of the driver.`,
      key: keys.python,
    }),
  },
  {
    cause: "script-missing",
    scope: "log",
    pattern:
      /can't open file '([^']+)'|NoSuchFileException: (\S+\.(?:py|R|r))\b|File \S*?(\/\S+\.(?:py|R)) does not exist/,
    remedy: "Correct the path, or add the script to the image.",
    say: ({ match: [, ...paths] }) => ({
      message: `The script ${paths.find((path) => path !== undefined) ?? ""} is not in the image of the driver.`,
    }),
  },
  {
    cause: "python-module-missing",
    scope: "failure",
    pattern: /(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?/,
    remedy: "Add the module to the image, or ship it with --archives or --py-files.",
    say: ({ match: [, module = ""] }) => ({
      message: `The Python module ${module} is not in the image.`,
      nextStep: `Add ${module} to the image, or ship it with --archives.`,
      key: keys.archives,
    }),
  },
  {
    cause: "java-version-mismatch",
    scope: "failure",
    pattern:
      /UnsupportedClassVersionError: (\S+) has been compiled by a more recent version .*\(class file version ([\d.]+)\).*up to ([\d.]+)|UnsupportedClassVersionError: (.*)/,
    remedy: "Compile for the Java of the image, or use an image with a newer Java.",
    say: ({ match: [, name = "", newer, older = "", other] }) => ({
      message:
        newer === undefined
          ? `A class was compiled for a newer Java than the image has (UnsupportedClassVersionError): ${other ?? ""}`
          : `${name.replaceAll("/", ".")} was compiled for Java ${javaOf(newer)} (class file ${newer}); the image runs Java ${javaOf(older)} (UnsupportedClassVersionError).`,
      nextStep:
        newer === undefined
          ? undefined
          : `Compile for Java ${javaOf(older)}, or use an image with Java ${javaOf(newer)}.`,
      key: keys.image,
    }),
  },
  {
    cause: "java-heap-space",
    scope: "log",
    pattern:
      /^(?:Exception in thread "[^"]*" |Caused by: |.* ERROR \S+: .*|Terminating due to |Aborting due to )?java\.lang\.OutOfMemoryError: (Java heap space|GC overhead limit exceeded|Requested array size exceeds VM limit)/,
    remedy: "Raise the memory of the driver.",
    say: ({ match: [, what = ""], view: { properties } }) => {
      const heap = properties[keys.driverMemory] ?? "1g";
      return {
        message: `The Java heap of the driver (${keys.driverMemory}=${heap}) is too small: java.lang.OutOfMemoryError: ${what}.`,
        nextStep: `Raise ${keys.driverMemory} above ${heap}, or collect less data in the driver.`,
        key: keys.driverMemory,
      };
    },
  },
  {
    cause: "driver-bind-failed",
    scope: "failure",
    pattern: /Cannot assign requested address|Address already in use|BindException|failed after \d+ retries/,
    remedy: "Drop the bind address, or choose a port that is free.",
    say: ({ driver, view: { properties }, line }) => {
      const address = bindAddress(driver, properties);
      const service = /Service '(\S+)'/.exec(line.text)?.[1];
      return {
        message: `The driver cannot bind ${service === undefined ? "its port" : `the port of ${service}`}${address === undefined ? "" : ` at ${address}`}: ${/Address already in use/.test(line.text) ? "it is in use already" : "the pod has no such address"}.`,
        key: keys.bindAddress,
      };
    },
  },
  {
    cause: "event-log-directory-missing",
    scope: "failure",
    pattern:
      /File (\S+) does not exist|FileNotFoundException: (\S+) \(|Log directory (\S+) (?:is not a directory|does not exist)|NoSuchFileException: (\S+)|(?:File does not exist|No such file or directory): (\S+)/,
    remedy: "Create the directory (a volume), or set one that exists.",
    say: ({ match: [, ...paths], failure, view: { properties } }) => {
      const path = paths.find((one) => one !== undefined) ?? "";
      const directory = properties[keys.eventLogDir] ?? "/tmp/spark-events";
      const isIts = path.replace(/^file:\/*/, "/") === directory.replace(/^file:\/*/, "/").replace(/\/$/, "");
      if (!isIts && !failure?.lines.some(({ text }) => /EventLog(File|ging)/.test(text))) return undefined;
      return {
        message: `The event log directory ${path} does not exist in the driver.`,
        key: keys.eventLogDir,
      };
    },
  },
  {
    cause: "filesystem-missing",
    scope: "failure",
    pattern:
      /No FileSystem for scheme:? "?([\w+.-]+)"?|Class (\S*(?:FileSystem|fs\.\S+)) not found|No AbstractFileSystem configured for scheme: (\S+)/,
    remedy: "Use an image with the library of that file system (hadoop-aws for s3a, for example).",
    say: ({ match: [, scheme, name, other] }) => ({
      message:
        name === undefined
          ? `The image has no file system for addresses that begin with ${scheme ?? other ?? ""}://.`
          : `The image lacks the class ${name}, which reads such addresses.`,
    }),
  },
  {
    cause: "ivy-cache-unwritable",
    scope: "failure",
    pattern:
      /FileNotFoundException: (\S*(?:ivy|resolved-org\.apache\.spark)\S*) \((?:No such file|Permission denied|Read-only)|(?:AccessDenied|FileSystem)Exception: (\S*ivy\S*)/i,
    remedy: "Let Ivy keep what it resolves in a directory that the driver can write, /tmp/.ivy2 for example.",
    say: ({ match: [, path, other] }) => ({
      message: `${keys.packages} is resolved in the driver, whose Ivy directory cannot be written: ${path ?? other ?? ""}.`,
      nextStep: `Set ${keys.ivy}=/tmp/.ivy2.`,
      key: keys.ivy,
    }),
  },
  {
    cause: "dependency-unresolved",
    scope: "log",
    pattern:
      /RuntimeException: \[(.*(?:unresolved dependency|download failed).*)\]|unresolved dependency: (\S+)|^\s*::\s+(\S+#\S+;\S+): not found/,
    remedy: "Correct the coordinates, add the repository that has them, or give the cluster access to it.",
    say: ({ match: [, list, one, other], driver, view: { properties } }) => {
      const host = findLine(driver.main.log, /Host (\S+) not found/)?.match[1];
      return {
        message: `A Maven package could not be resolved (${keys.packages}=${properties[keys.packages] ?? ""}): ${list ?? one ?? other ?? ""}${host === undefined ? "" : ` (the host ${host} is not reached)`}.`,
        key: keys.packages,
      };
    },
  },
  {
    cause: "dependency-unreachable",
    scope: "failure",
    pattern:
      /(?:UnknownHostException|ConnectException|NoRouteToHostException|SocketTimeoutException|HttpConnectTimeoutException|SSLHandshakeException|Server returned HTTP response code: \d+ for URL)[: ]*(.*)|FileNotFoundException: (https?:\S+)/,
    remedy: "Correct the address, or give the cluster access to it.",
    say: ({ match: [what, where, url], failure }) => {
      const isFetch = failure?.lines.some(({ text }) =>
        /doFetchFile|downloadFile|fetchFile|resolveMavenDependencies|downloadFileList/.test(text),
      );
      if (isFetch !== true) return undefined;
      return { message: `The driver cannot fetch a dependency from ${url ?? where ?? what}: ${what}.` };
    },
  },
  {
    cause: "jar-missing",
    scope: "log",
    pattern:
      /NoSuchFileException: (\S+\.[jw]ar)\b|Local jar (\S+) does not exist, skipping|FileNotFoundException: (?:File )?(?:file:)?(\S+\.[jw]ar)\b|(?:File|jar) (?:file:)?(\S+\.jar) does not exist|Unable to access jarfile (\S+)/,
    remedy: "Correct the path, or add the jar to the image.",
    say: ({ match: [, ...paths] }) => ({
      message: `The jar ${paths.find((path) => path !== undefined) ?? ""} is not in the image of the driver.`,
    }),
  },
  {
    cause: "main-class-not-found",
    scope: "log",
    pattern:
      /Error: Failed to load class ([\w.$]+?)\.?$|Error: Failed to load ([\w.$]+): |Could not find or load main class ([\w.$]+)|NoSuchMethodException: ([\w.$]+)\.main\(|The main method in the given main class must be static/,
    remedy: "Correct --class, or the jar.",
    say: ({ match: [, ...names], driver }) => {
      const name = names.find((one) => one !== undefined) ?? mainClass(driver) ?? "";
      return {
        message: `The main class ${name} is not in ${jarOf(driver) ?? "the jar"}, or has no main method.`,
        key: "--class",
      };
    },
  },
  {
    cause: "main-class-not-found",
    scope: "failure",
    pattern: /ClassNotFoundException: ([\w.$]+)/,
    remedy: "Correct --class, or the jar.",
    say: ({ match: [, name = ""], driver }) =>
      name === mainClass(driver)
        ? { message: `The main class ${name} is not in ${jarOf(driver) ?? "the jar"}.`, key: "--class" }
        : undefined,
  },
  {
    cause: "setting-invalid",
    scope: "failure",
    pattern: /[\s\S]/,
    remedy: "Correct the setting.",
    say: ({ failure, view: { properties } }) => failure && invalidSetting(failure, properties),
  },
];

function heapSettings(properties: Readonly<Record<string, string>>): string {
  const options = /-X(?:m[sx]|X:\S*Heap\S*)\S*/.exec(properties[keys.driverJavaOptions] ?? "")?.[0];
  return `${keys.driverMemory}=${properties[keys.driverMemory] ?? "1g"}${options === undefined ? "" : `, ${options}`}`;
}

/** Class files are numbered from 45 (Java 1.1) on. */
function javaOf(classFile: string): number {
  return Number.parseInt(classFile, 10) - 44;
}

function bindAddress({ main }: PodView, properties: Readonly<Record<string, string>>): string | undefined {
  const set = main.spec?.env?.findLast(({ name }) => name === "SPARK_DRIVER_BIND_ADDRESS");
  return set?.value ?? properties[keys.bindAddress];
}

function mainClass({ main }: PodView): string | undefined {
  const args = main.spec?.args ?? [];
  return args[args.indexOf("--class") + 1];
}

function jarOf({ main }: PodView): string | undefined {
  return main.spec?.args?.find((word) => /\.jar$|^(local|file|https?|s3a?):\/\//.test(word));
}

function toRule(row: Row): Rule {
  return {
    cause: row.cause,
    seen: row.scope === "log" ? "the driver log" : "the exception in the driver log that ended it",
    remedy: row.remedy,
    find: (view) => {
      const { driver, stage } = view;
      if (driver === undefined || (stage !== "endedBadly" && stage !== "running")) return undefined;
      if (stage === "running" && row.isAtOnce === undefined) return undefined;
      const failure = row.scope === "failure" ? findFailure(driver.main.log) : undefined;
      const lines = row.scope === "failure" ? (failure?.lines ?? []) : driver.main.log;
      const inTime = stage === "running" ? lines.filter(({ text }) => row.isAtOnce?.test(text)) : lines;
      return wordsOf(row, inTime, { failure, driver, view });
    },
  };
}

function wordsOf(
  row: Row,
  lines: readonly LogLine[],
  rest: Omit<Found, "match" | "line">,
): Finding | undefined {
  const found = findLine(lines, row.pattern);
  const words = found && row.say({ ...found, ...rest });
  if (found === undefined || words === undefined) return undefined;
  const line = row.cause === "setting-invalid" ? (rest.failure?.head ?? found.line) : found.line;
  const isEnded = rest.view.stage === "endedBadly";
  return {
    ...words,
    evidence: [logEvidence(rest.driver.main, line), ...(isEnded ? [exitEvidence(rest.driver)] : [])],
  };
}

/** What the driver log says that has a name of its own. */
export const driverLogRules: readonly Rule[] = rows.map(toRule);
