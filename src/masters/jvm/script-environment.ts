import { newestRelease } from "../../conf/spark-version.ts";
import type { Launch } from "./launch.ts";

/**
 * Builds the variables that Spark's launcher scripts export for every program they start.
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
    // With SPARK_ENV_LOADED set, the scripts do not set this.
    ...(isLoaded ? {} : { SPARK_CONF_DIR: env["SPARK_CONF_DIR"] || `${home}/conf` }),
  };
}
