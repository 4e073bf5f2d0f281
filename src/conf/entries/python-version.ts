import { optionalEntry } from "../entry.ts";
import { checked, text } from "../kinds.ts";
import { pythonVersionKey } from "./python-version-key.ts";

const pythonTwoGone =
  "Python 2 was dropped from Spark 3.1, and only 3 is allowed in this configuration. Note that this configuration was deprecated in Spark 3.1. Please set 'spark.pyspark.python' and 'spark.pyspark.driver.python' configurations or PYSPARK_PYTHON and PYSPARK_DRIVER_PYTHON environment variables instead.";

/** Checked only for Python applications up to Spark 4.0. */
export const pysparkPythonVersion = optionalEntry(
  checked(text, (version) => version === "3", pythonTwoGone),
  {
    key: pythonVersionKey,
    doc: "Major version of Python; only 3 is allowed.",
    since: "2.4.0",
  },
);
