import type { Behaviors } from "../../conf/behaviors.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import { scalaVersion } from "./class-path.ts";
import type { Launch } from "./launch.ts";

/** Resource and jars of a Spark example. */
export interface Example {
  readonly resource: string;
  readonly jars: readonly string[];
}

/**
 * Finds the jars of Spark's examples in a distribution, or in a source tree.
 *
 * Errors: SUBMIT_ERR_EXAMPLES. Source: Spark SparkSubmitCommandBuilder.findExamplesJars.
 */
export function exampleOf(
  { host, home, ...launch }: Launch,
  { exampleJars }: Pick<Behaviors, "exampleJars">,
): Result<Example> {
  const { files } = host;
  const released = `${home}/examples/jars`;
  const isDirectory = (path: string) => files.info(path)?.kind === "directory";
  // Installations by pip have no RELEASE file, although some have the jars.
  const isReleased =
    files.info(`${home}/RELEASE`)?.kind === "file" || (exampleJars === "anyTree" && isDirectory(released));
  const scala = scalaVersion({ host, home, ...launch });
  const directory = isReleased ? released : `${home}/examples/target/scala-${scala}/jars`;
  if (!isDirectory(directory))
    return failure("SUBMIT_ERR_EXAMPLES", { reason: `Examples jars directory '${directory}' does not exist.` });
  // Java does not sort directory entries, so keep the order of the file system.
  const names = files.list(directory, { sorted: false }) ?? [];
  const main = names.find((name) => name.startsWith("spark-examples"));
  if (main === undefined) return failure("SUBMIT_ERR_EXAMPLES", { reason: "Failed to find examples' main app jar." });
  return success({ resource: `${directory}/${main}`, jars: names.map((name) => `${directory}/${name}`) });
}
