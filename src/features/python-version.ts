import { pysparkDriverPython, pysparkPython } from "../conf/entries/app.ts";
import { pysparkPythonVersion } from "../conf/entries/python-version.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { Issue } from "../errors/issue.ts";

/** Reports an invalid `spark.kubernetes.pyspark.pythonVersion`. */
export function pythonVersionIssues(conf: SparkConf): readonly Issue[] {
  return conf.check([pysparkPythonVersion]);
}

/** Returns Spark's warning about this setting. */
export function pythonVersionWarnings(): readonly string[] {
  return [
    `${pysparkPythonVersion.key} was deprecated in Spark 3.1. Please set '${pysparkPython.key}' and '${pysparkDriverPython.key}' configurations or PYSPARK_PYTHON and PYSPARK_DRIVER_PYTHON environment variables instead.`,
  ];
}
