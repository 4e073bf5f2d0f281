import { submitError } from "../../../errors/submit-error.ts";
import { cacheDirectory } from "../../../host/cache-directory.ts";
import type { Host } from "../../../host/host.ts";
import { lastLine, runCommand } from "../../../host/run-command.ts";
import type { SparkHome } from "../../../spark/spark-home.ts";

/** Input of a compilation. */
interface JavaExample {
  /** Path of the source file. */
  readonly source: string;
  readonly spark: SparkHome;
  readonly javaHome: string | undefined;
}

/**
 * Compiles the example against a Spark distribution, to a jar in a directory of the cache. Compiles again only after the source changed.
 *
 * @throws SubmitError `SUBMIT_ERR_JAVA_COMPILE` without a JDK, or when the compilation fails
 */
export async function buildJavaExample(host: Host, example: JavaExample): Promise<{ directory: string; jar: string }> {
  const { source, spark, javaHome } = example;
  const directory = `${cacheDirectory(host)}/examples/${spark.version}`;
  const jar = "java-pi.jar";
  const built = host.files.info(`${directory}/${jar}`);
  const written = host.files.info(source);
  if (written === undefined) throw compileError(`${source} is missing`);
  if (built !== undefined && built.modifiedMs > written.modifiedMs) return { directory, jar };

  const tool = await findTools(host, javaHome);
  if (tool === undefined) throw compileError("javac was not found");
  const classes = `${directory}/classes`;
  host.files.remove(classes);
  host.files.makeDirectory(classes);
  const javac = [tool("javac"), "--release", "17", "-cp", `${spark.home}/jars/*`, "-d", classes, source] as const;
  const compiled = await runCommand(host, javac);
  if (compiled.code !== 0) throw compileError(compiled.stderr.trim());
  const unfinished = `${directory}/unfinished.jar`;
  const packed = await runCommand(host, [tool("jar"), "--create", "--file", unfinished, "-C", classes, "."]);
  if (packed.code !== 0) throw compileError(lastLine(packed.stderr));
  host.files.rename(unfinished, `${directory}/${jar}`);
  return { directory, jar };
}

function compileError(reason: string): Error {
  return submitError("SUBMIT_ERR_JAVA_COMPILE", { reason });
}

/** Returns the path of a JDK tool by name: of the JDK that runs Spark, else on the PATH. */
async function findTools(host: Host, javaHome: string | undefined): Promise<((name: string) => string) | undefined> {
  if (javaHome !== undefined && host.files.info(`${javaHome}/bin/javac`) !== undefined) {
    return (name) => `${javaHome}/bin/${name}`;
  }
  const { code } = await runCommand(host, ["javac", "-version"]);
  return code === 0 ? (name) => name : undefined;
}
