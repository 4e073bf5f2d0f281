import { submitError } from "../../../errors/submit-error.ts";
import { cacheDirectory } from "../../../host/cache-directory.ts";
import type { Host } from "../../../host/host.ts";
import { lastLine, runCommand } from "../../../spark/run-command.ts";
import type { SparkHome } from "../../../spark/spark-home.ts";

/** What a compilation needs. */
export interface JavaExample {
  /** The source, one file. */
  readonly source: string;
  readonly spark: SparkHome;
  readonly javaHome: string | undefined;
}

/**
 * The example as a jar in a folder of our cache, compiled against a Spark distribution; again only when its source changed.
 *
 * @throws SubmitError `SUBMIT_ERR_JAVA_COMPILE` without a JDK, or when the compiler refuses.
 */
export async function buildJavaExample(
  host: Host,
  example: JavaExample,
): Promise<{ folder: string; jar: string }> {
  const { source, spark, javaHome } = example;
  const folder = `${cacheDirectory(host)}/examples/${spark.version}`;
  const jar = "java-pi.jar";
  const built = host.files.info(`${folder}/${jar}`);
  const written = host.files.info(source);
  if (written === undefined) throw refused(`${source} is missing`);
  if (built !== undefined && built.modifiedMs > written.modifiedMs) return { folder, jar };

  const tool = await findTools(host, javaHome);
  if (tool === undefined) throw refused("there is no javac");
  const classes = `${folder}/classes`;
  host.files.remove(classes);
  host.files.makeDirectory(classes);
  const javac = [
    tool("javac"),
    "--release",
    "17",
    "-cp",
    `${spark.home}/jars/*`,
    "-d",
    classes,
    source,
  ] as const;
  const compiled = await runCommand(host, javac);
  if (compiled.code !== 0) throw refused(compiled.stderr.trim());
  const unfinished = `${folder}/unfinished.jar`;
  const packed = await runCommand(host, [tool("jar"), "--create", "--file", unfinished, "-C", classes, "."]);
  if (packed.code !== 0) throw refused(lastLine(packed.stderr));
  host.files.rename(unfinished, `${folder}/${jar}`);
  return { folder, jar };
}

function refused(reason: string): Error {
  return submitError("SUBMIT_ERR_JAVA_COMPILE", { reason });
}

/** How the tools of a JDK are called: that of the Java we use, else the one on PATH. */
async function findTools(
  host: Host,
  javaHome: string | undefined,
): Promise<((name: string) => string) | undefined> {
  if (javaHome !== undefined && host.files.info(`${javaHome}/bin/javac`) !== undefined) {
    return (name) => `${javaHome}/bin/${name}`;
  }
  const { code } = await runCommand(host, ["javac", "-version"]);
  return code === 0 ? (name) => name : undefined;
}
