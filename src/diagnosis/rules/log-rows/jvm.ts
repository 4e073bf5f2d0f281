import { keys } from "../../settings.ts";
import type { LogRow } from "../log-row.ts";

/** Driver log rows about the JVM. */
export const jvmRows: readonly LogRow[] = [
  {
    cause: "jvm-heap-too-large",
    scope: "log",
    pattern:
      /Could not reserve enough space for .*heap|Invalid maximum heap size.*|exceeds the maximum representable size|Initial heap size set to a larger value.*|insufficient memory for the Java Runtime Environment|os::commit_memory.*failed/,
    remedy: "Request a smaller heap, or more memory for the pod.",
    explain: ({ match: [what], view: { properties }, driver }) => ({
      message: `The JVM of the driver cannot reserve its heap (${heapSettings(properties)}, memory limit ${driver.main.spec?.resources?.limits?.["memory"] ?? "none"}): ${what}.`,
      key: keys.driverMemory,
    }),
  },
  {
    cause: "jvm-option-invalid",
    scope: "log",
    pattern:
      /(?:Unrecognized VM option|Improperly specified VM option|Missing \+\/- setting for VM option|Unexpected \+\/- setting in VM option) '([^']+)'|Unrecognized option: (\S+)|VM option '([^']+)' is (?:experimental|diagnostic)|Error opening zip file or JAR manifest missing ?: ?(\S+)|Could not find agent library (\S+)|(Conflicting collector combinations[^;]*|^Invalid (?:thread stack|initial heap|young|metaspace)\b.*|Error: Could not create the Java Virtual Machine)/,
    remedy: "Correct the options of the JVM.",
    explain: ({ match: [fullText, ...parts] }) => {
      const option = parts.find((part) => part !== undefined) ?? fullText;
      return {
        message: `The JVM of the driver does not accept ${option}: ${fullText}.`,
        key: keys.driverJavaOptions,
      };
    },
  },
  {
    cause: "java-version-mismatch",
    scope: "failure",
    pattern:
      /UnsupportedClassVersionError: (\S+) has been compiled by a more recent version .*\(class file version ([\d.]+)\).*up to ([\d.]+)|UnsupportedClassVersionError: (.*)/,
    remedy: "Compile for the Java of the image, or use an image with a newer Java.",
    explain: ({ match: [, name = "", newer, older = "", other] }) => ({
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
    cause: "result-too-large",
    scope: "failure",
    pattern:
      /Total size of serialized results of (\d+) tasks \(([^)]+)\) is bigger than spark\.driver\.maxResultSize \(?([\d.]+ ?\w+)/,
    remedy: "Let the executors write the result, or raise the limit and the memory of the driver.",
    explain: ({ match: [, tasks = "", size = "", limit = ""] }) => ({
      message: `The results of ${tasks} tasks have ${size}, and ${keys.driverMaxResultSize} allows ${limit}.`,
      nextStep: `Write the result instead of collecting it in the driver, or raise ${keys.driverMaxResultSize} and ${keys.driverMemory}.`,
      key: keys.driverMaxResultSize,
    }),
  },
  {
    cause: "java-heap-space",
    scope: "log",
    pattern:
      /^(?:Exception in thread "[^"]*" |Caused by: |: |.* ERROR \S+: .*|Terminating due to |Aborting due to )?java\.lang\.OutOfMemoryError: (Java heap space|GC overhead limit exceeded|Requested array size exceeds VM limit)/,
    remedy: "Raise the memory of the driver.",
    explain: ({ match: [, what = ""], view: { properties }, failure }) => {
      if (failure?.lines.some(({ text }) => /executor \S+\): java\.lang\.OutOfMemoryError/.test(text)))
        return undefined;
      const heap = properties[keys.driverMemory] ?? "1g";
      return {
        message: `The Java heap of the driver (${keys.driverMemory}=${heap}) is too small: java.lang.OutOfMemoryError: ${what}.`,
        nextStep: `Raise ${keys.driverMemory} above ${heap}, or collect less data in the driver.`,
        key: keys.driverMemory,
      };
    },
  },
];

function heapSettings(properties: Readonly<Record<string, string>>): string {
  const options = /-X(?:m[sx]|X:\S*Heap\S*)\S*/.exec(properties[keys.driverJavaOptions] ?? "")?.[0];
  return `${keys.driverMemory}=${properties[keys.driverMemory] ?? "1g"}${options === undefined ? "" : `, ${options}`}`;
}

/** Converts the version of a class file to that of Java: 45 is Java 1.1. */
function javaOf(classFile: string): number {
  return Number.parseInt(classFile, 10) - 44;
}
