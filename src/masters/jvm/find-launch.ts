import { behaviorsOf } from "../../conf/behaviors.ts";
import { newestLine, newestRelease, parseSparkVersion, type SparkLine } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import type { ReadSettings } from "../../resolve/read-settings.ts";
import { specifiedSparkVersion } from "../../resolve/resolve-spark-version.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { localJava } from "../../spark/find-java.ts";
import { jarsDirectory } from "./class-path.ts";
import type { Launch } from "./launch.ts";
import { type DriverSpark, directoryOnPath, findDriverSpark } from "./local-spark.ts";

/**
 * Finds the Spark that starts a local driver. Returns `undefined` if there is none.
 *
 * @throws SUBMIT_ERR_SPARK_JARS
 */
export function findLaunch({ host, read, version, invocation }: ResolvedSubmission): Launch | undefined {
  const spark = findDriverSpark(host, specifiedSparkVersion({ settings: read.settings, env: host.env }));
  if (spark === undefined) return undefined;
  return launchOf(host, { spark, targetLine: version.line, invocation, settings: launcherSettings(read) });
}

/** Returns the settings as Spark's launcher reads them: values from files are trimmed. */
export function launcherSettings({ settings }: Pick<ReadSettings, "settings">): Launch["settings"] {
  return new Map(
    [...settings.values()].map(({ key, value, origin }) => [key, origin.kind === "file" ? value.trim() : value]),
  );
}

/** Builds the launch of a Spark, with the environment of its scripts. @throws SUBMIT_ERR_SPARK_JARS */
export function launchOf(
  host: Host,
  options: { spark: DriverSpark; targetLine: SparkLine } & Pick<Launch, "invocation" | "settings">,
): Launch {
  const { spark, targetLine, ...rest } = options;
  const { home, version } = spark;
  const line = lineOf(version) ?? targetLine;
  const env = { ...host.env, ...scriptEnvironment({ host, home, line }) };
  const launch = { ...rest, home, line, host: overrideHost(host, { env }) };
  const directory = jarsDirectory(launch);
  if (host.files.info(directory)?.kind !== "directory") throw submitError("SUBMIT_ERR_SPARK_JARS", { directory });
  return launch;
}

/**
 * Builds the variables that Spark's launcher scripts export for every program they start.
 *
 * Source: bin/spark-submit and bin/load-spark-env.sh of Spark 3.5.9 to 4.3.0.
 */
function scriptEnvironment({ host, home, line }: Pick<Launch, "host" | "home" | "line">) {
  const { env } = host;
  const isLoaded = (env["SPARK_ENV_LOADED"] ?? "") !== "" && (env["SPARK_CONF_DIR"] ?? "") === "";
  return {
    SPARK_HOME: home,
    SPARK_ENV_LOADED: "1",
    SPARK_SCALA_VERSION: (line === "3.5" && env["SPARK_SCALA_VERSION"]) || newestRelease(line).scala,
    // With SPARK_ENV_LOADED set, the scripts do not set this.
    ...(isLoaded ? {} : { SPARK_CONF_DIR: env["SPARK_CONF_DIR"] || `${home}/conf` }),
  };
}

/** Returns the release line of a version. Unknown lines count as the newest; lines before 3.5 count as 3.5. */
function lineOf(version: string | undefined): SparkLine | undefined {
  if (version === undefined) return undefined;
  const known = parseSparkVersion(version)?.line;
  if (known !== undefined) return known;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < 3 || (major === 3 && minor < 5) ? "3.5" : newestLine;
}

/**
 * Finds `java` in JAVA_HOME, then on PATH, then anywhere on this machine. The last step is omitted with Spark's exact behavior.
 *
 * @throws SUBMIT_ERR_JAVA_HOME_MISSING
 */
export function findJavaCommand(host: Host): JavaProgram {
  const found = javaOf(host);
  if (found === undefined) throw submitError("SUBMIT_ERR_JAVA_HOME_MISSING", {});
  return found;
}

/** A `java` command, and its home if JAVA_HOME does not specify it. */
interface JavaProgram {
  readonly command: string;
  readonly home: string | undefined;
}

/** Finds `java` like `findJavaCommand`. Returns `undefined` if there is none. */
export function javaOf(host: Host): JavaProgram | undefined {
  const home = host.env["JAVA_HOME"];
  if (home !== undefined && home !== "") return { command: `${home}/bin/java`, home: undefined };
  if (directoryOnPath(host, "java") !== undefined) return { command: "java", home: undefined };
  const found = behaviorsOf(host.env).javaLookup === "anywhere" ? localJava(host) : undefined;
  return found && { command: `${found.home}/bin/java`, home: found.home };
}
