import { define } from "../error-code-entry.ts";

const installHint = "Install one: firesteel spark install";

/** Codes about drivers and shells in a JVM of this machine: Spark distributions, Java, programs. */
export const jvmCodes = {
  SUBMIT_ERR_SPARK_NEEDED: define<{ what: string; line: string }>({
    kind: "environment",
    text: ({ what }) =>
      `${what} requires a Spark distribution on this machine, and none was found: SPARK_HOME is not set, python3 has no pyspark, and the cache has none.`,
    hint: ({ line }) =>
      `${installHint} ${line}; or set SPARK_HOME. To run without a local Spark, use cluster mode: --master k8s://https://HOST:PORT --deploy-mode cluster`,
  }),
  SUBMIT_ERR_SPARK_JARS: define<{ directory: string }>({
    kind: "environment",
    wording: "spark",
    text: ({ directory }) =>
      `Failed to find Spark jars directory (${directory}).\nYou need to build Spark with the target "package" before running this program.`,
    hint: () => `Set SPARK_HOME to the directory of a Spark distribution, with bin, jars and python. ${installHint}`,
  }),
  SUBMIT_ERR_SPARK_TOO_OLD: define<{ what: string; since: string; home: string }>({
    kind: "environment",
    text: ({ what, since, home }) => `${what} requires Spark ${since} or later; the Spark in ${home} is older.`,
    hint: ({ since }) =>
      `Install a newer one: firesteel spark install ${since}; or set SPARK_HOME to another directory.`,
  }),
  SUBMIT_ERR_SPARK_INSTALL: define<{ version: string; reasons: readonly string[] }>({
    kind: "environment",
    text: ({ version, reasons }) => [`Cannot install Spark ${version}.`, ...reasons].join("\n  "),
    hint: () =>
      "Install python3 and pip (Debian, Ubuntu: apt-get install python3-pip) and try again, or unpack a Spark distribution and set SPARK_HOME to its directory.",
  }),
  SUBMIT_ERR_CLASS_ARCHIVE: define<{ version: string; reason: string }>({
    kind: "environment",
    text: ({ version, reason }) => `Cannot make the class data archive of Spark ${version}: ${reason}`,
    hint: () =>
      "Spark works without it. Correct the reason and run firesteel spark prepare again; it requires bubblewrap or unshare, and 400 MB of disk space.",
  }),
  SUBMIT_ERR_JAVA_HOME_MISSING: define<Record<never, never>>({
    kind: "environment",
    wording: "spark",
    text: () => "JAVA_HOME is not set",
    hint: () => "Install Java 17 or later, and put java on the PATH or set JAVA_HOME to its directory.",
  }),
  SUBMIT_ERR_JAVA_MISSING: define<{ reason: string; advice: string }>({
    kind: "environment",
    text: ({ reason }) => `Spark requires Java 17 or later, and none was found. ${reason}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_PROGRAM_START: define<{ command: string; reason: string }>({
    kind: "environment",
    text: ({ command, reason }) => `Cannot start ${command}: ${reason}`,
    hint: ({ command }) => `Check that ${command} exists and is executable.`,
  }),
  SUBMIT_ERR_EXAMPLES: define<{ reason: string }>({
    kind: "environment",
    wording: "spark",
    javaClass: "java.lang.IllegalStateException",
    text: ({ reason }) => reason,
    hint: () =>
      "Use a distribution from spark.apache.org: packages from PyPI have no examples/jars. Kubernetes cluster mode uses the examples of the image.",
  }),
  SUBMIT_ERR_SPARK_ENV: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `Cannot run ${path}: ${reason}`,
    hint: () => "Correct the script, or set SPARK_ENV_LOADED=1 to skip it.",
  }),
};
