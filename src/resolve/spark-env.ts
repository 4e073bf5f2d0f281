import type { Host } from "../host/host.ts";
import { undefinedIfForbidden } from "../host/undefined-if-forbidden.ts";
import { runSparkEnv } from "./run-spark-env.ts";

/** Returns the configuration directory: SPARK_CONF_DIR, else `conf` of SPARK_HOME. */
export function confDirectoryPath({ env }: Host): string | undefined {
  const { SPARK_CONF_DIR, SPARK_HOME } = env;
  if (SPARK_CONF_DIR !== undefined && SPARK_CONF_DIR !== "") return SPARK_CONF_DIR;
  return SPARK_HOME === undefined || SPARK_HOME === "" ? undefined : `${SPARK_HOME}/conf`;
}

/**
 * Returns the host with the environment after `spark-env.sh` of the configuration directory. Runs it once, as Spark's
 * launcher scripts do.
 *
 * @throws SUBMIT_ERR_SPARK_ENV if the script calls `exit`, or bash is missing
 */
export async function withSparkEnv(host: Host): Promise<Host> {
  const directory = confDirectoryPath(host);
  const path = `${directory}/spark-env.sh`;
  const isLoaded = (host.env["SPARK_ENV_LOADED"] ?? "") !== "";
  if (directory === undefined || isLoaded || undefinedIfForbidden(() => host.files.info(path))?.kind !== "file")
    return host;
  return runSparkEnv(host, { directory, path });
}
