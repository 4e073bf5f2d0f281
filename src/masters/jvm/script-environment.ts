import { newestRelease } from "../../conf/spark-version.ts";
import type { Launch } from "./launch.ts";

/**
 * What Spark's launcher scripts export for whatever they start.
 *
 * Source: bin/spark-submit and bin/load-spark-env.sh of Spark 3.5.9 to 4.3.0.
 */
export function scriptEnvironment({ host, home, line }: Pick<Launch, "host" | "home" | "line">) {
  const { env } = host;
  const isLoaded = (env["SPARK_ENV_LOADED"] ?? "") !== "" && (env["SPARK_CONF_DIR"] ?? "") === "";
  return {
    SPARK_HOME: home,
    SPARK_ENV_LOADED: "1",
    SPARK_SCALA_VERSION: (line === "3.5" && env["SPARK_SCALA_VERSION"]) || newestRelease(line).scala,
    // Where somebody said that all is loaded, the scripts leave this alone.
    ...(isLoaded ? {} : { SPARK_CONF_DIR: env["SPARK_CONF_DIR"] || `${home}/conf` }),
  };
}
