import { isArchiveLocation } from "../../values/is-archive-location.ts";
import { entry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { boolean, checked, duration, list, oneOf, text } from "../kinds.ts";

export const firesteelSparkVersion = optionalEntry(text, {
  key: "spark.firesteel.sparkVersion",
  doc: "The Spark version that the submission targets, e.g. `4.1` or `3.5.9`.",
  since: "firesteel",
});

export const firesteelLogs = entry(oneOf(["none", "driver", "all"]), {
  key: "spark.firesteel.logs",
  doc: "Logs to show while waiting for the application: `none`, `driver`, or `all` for driver and executors. Each line of an executor starts with its ID.",
  since: "firesteel",
  default: "none",
});

export const firesteelKillOnInterrupt = entry(boolean, {
  key: "spark.firesteel.killOnInterrupt",
  doc: "Delete the driver on an interrupt while waiting.",
  since: "firesteel",
  default: "false",
});

const timeLimit = checked(duration("ms"), (limit) => limit >= 0, "A time limit must not be negative.");

/** In ms; 0: none. */
export const firesteelStartTimeout = entry(timeLimit, {
  key: "spark.firesteel.startTimeout",
  doc: "Time within which the driver's container must start, e.g. `10min`. Otherwise the driver is deleted and the submission fails. `0` means unlimited.",
  since: "firesteel",
  default: "0",
});

/** In ms; 0: none. */
export const firesteelRunTimeout = entry(timeLimit, {
  key: "spark.firesteel.runTimeout",
  doc: "Time after the submission within which the application must end. Otherwise the driver is deleted and the submission fails. `0` means unlimited.",
  since: "firesteel",
  default: "0",
});

export const firesteelFailFast = entry(boolean, {
  key: "spark.firesteel.failFast",
  doc: "Delete a driver that cannot start without a change, and fail the submission.",
  since: "firesteel",
  default: "false",
});

const archive = checked(text, isArchiveLocation, "Must be DIR, s3a://BUCKET/DIR, hdfs://… or pvc:CLAIM/DIR.");

export const firesteelArchive = optionalEntry(archive, {
  key: "spark.firesteel.archive",
  doc: "Directory for a bundle of the application, `<application ID>.tar.gz`, which the waiting submission or the embedded cluster writes after its end: logs, events, pods and diagnosis, without secrets. `DIR`, `s3a://BUCKET/DIR`, `hdfs://…`, or `pvc:CLAIM/DIR`.",
  since: "firesteel",
});

export const firesteelFeatureSteps = entry(list, {
  key: "spark.firesteel.featureSteps",
  doc: "JavaScript modules with additional feature steps for the driver's pod: paths or package names.",
  since: "firesteel",
  default: "",
});

export const firesteelSubmissionToken = optionalEntry(
  checked(text, (token) => token !== "", "A submission token must not be empty."),
  {
    key: "spark.firesteel.submissionToken",
    doc: "Submissions with the same token, namespace and master are one: the first creates the driver, the others adopt it and return its result, as long as its pod exists. Submissions with different content are rejected.",
    since: "firesteel",
  },
);

export const firesteelPythonEnv = optionalEntry(text, {
  key: "spark.firesteel.pythonEnv",
  doc: "Python environment of driver and executors, for Kubernetes in cluster mode: a requirements file or a `pyproject.toml` from which it is built, a directory with an environment or one of these files, or an archive that venv-pack or conda-pack made.",
  since: "firesteel",
});

export const firesteelMounts = entry(list, {
  key: "spark.firesteel.mounts",
  doc: "Mounts of driver and executors on Kubernetes: `SOURCE[:PATH][:ro]` for a file or directory of this machine (embedded cluster only), `pvc:NAME:/PATH[:ro]` for an existing claim, `s3a://BUCKET:SECRET` for the credentials of S3A from a Secret.",
  since: "firesteel",
  default: "",
});

export const firesteelSettings: PrefixEntry = {
  prefix: "spark.firesteel.",
  doc: "Settings of the submission itself, which the driver never gets.",
  since: "firesteel",
};
