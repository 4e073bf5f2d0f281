import { entry } from "../entry.ts";
import { oneOf, text } from "../kinds.ts";

/** Program that resolves the packages of a submission to Kubernetes in cluster mode. */
export const packagesResolver = entry(oneOf(["auto", "submission", "driver"]), {
  key: "spark.firesteel.packages.resolver",
  doc: "Program that resolves `--packages` for Kubernetes in cluster mode: `submission` before the driver starts, with the submitter's repositories, cache and credentials, so that the jars travel like other local files; `driver` as Spark does; `auto` like `submission` unless the driver may need the packages to read other files, or the jars cannot reach it.",
  since: "firesteel",
  default: "auto",
});

/** Path on the submitter's machine. Empty: no lock file. */
export const packagesLock = entry(text, {
  key: "spark.firesteel.packages.lock",
  doc: "Lock file with the jars of `--packages`, which `firesteel packages lock` writes. The default one is used if it exists; another one must exist. Empty: no lock file.",
  since: "firesteel",
  default: "spark-packages.lock",
});
