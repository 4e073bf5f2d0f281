import { behaviorsOf } from "../../conf/behaviors.ts";
import { redactedText } from "../../values/redaction.ts";
import { type Launch, launchVariable } from "./launch.ts";
import type { ShellCommand } from "./shell-command.ts";

/** JVM system property, anywhere in an argument, whose name indicates a secret value. */
const secretProperty = /(?<=-D[^\s=]*(?:secret|password|token|access[.]?key)[^\s=]*=)\S+/gi;
/** Spark setting, as a complete argument, whose name indicates a secret value. */
const secretSetting = /(?<=^spark\.[^=]*(?:secret|password|token|access[.]?key)[^=]*=)[\s\S]+/i;

/** Prints the notice about classes of a source tree to stderr, if SPARK_PREPEND_CLASSES is set. Source: Spark launcher. */
export function printDeveloperClasses(launch: Launch): void {
  if (launchVariable(launch, "SPARK_PREPEND_CLASSES") !== undefined)
    launch.host.stderr.write(
      "NOTE: SPARK_PREPEND_CLASSES is set, placing locally compiled Spark classes ahead of assembly.\n",
    );
}

/**
 * Prints the command to stderr, if SPARK_PRINT_LAUNCH_COMMAND is set.
 *
 * Source: Spark launcher Main; recorded with 3.5.9 and 4.3.0.
 */
export function printLaunch(launch: Launch, { command, args }: ShellCommand): void {
  if (launchVariable(launch, "SPARK_PRINT_LAUNCH_COMMAND") === undefined) return;
  const { redaction } = behaviorsOf(launch.host.env);
  const shown = args.map((arg) =>
    (redaction === "spark" ? asSparkShows(arg) : arg)
      .replaceAll(secretProperty, redactedText)
      .replace(secretSetting, redactedText),
  );
  launch.host.stderr.write(`Spark Command: ${[command, ...shown].join(" ")}\n${"=".repeat(40)}\n`);
}

/** Redacts an argument as Spark does: if its first system property is a secret, only that property remains, without its value. */
function asSparkShows(arg: string): string {
  const [, name = ""] = /-D(.+?)=./.exec(arg) ?? [];
  return /secret|password|token|access[.]?key/i.test(name) ? `-D${name}=${redactedText}` : arg;
}
