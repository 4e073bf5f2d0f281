import { entry, optionalEntry } from "../entry.ts";
import { bytes, checked, duration, oneOf, serverUrl, text } from "../kinds.ts";

/** Transports of the submitter's files to the pods, in the order in which `auto` tries them. */
export const transports = ["secret", "server", "s3", "push"] as const;

/** Transport: a row of `plan/transports`, of `features/transports` and, unless objects contain all files, of `masters/kubernetes/stage/transports`. */
export type Transport = (typeof transports)[number];

/** Transport of the submitter's files to the pods. */
export const stagingTransport = entry(oneOf(["auto", "none", ...transports]), {
  key: "spark.firesteel.staging.transport",
  doc: "Transport of the submitter's files to the driver: `secret` in Secrets that the driver mounts, `server` through a staging server and an init container, `s3` through a bucket and an init container, `push` from the submitter into a waiting init container, `none` to reject local files, `auto` for the first available one. Values other than `auto` take precedence over `spark.kubernetes.file.upload.path`.",
  since: "firesteel",
  default: "auto",
});

/** Absolute path. */
export const stagingDirectory = entry(
  checked(
    text,
    (path) => /^\/[A-Za-z0-9._/-]+$/.test(path) && !path.split("/").includes(".."),
    "Must be an absolute path of letters, digits, '.', '_' and '-'.",
  ),
  {
    key: "spark.firesteel.staging.directory",
    doc: "Directory of the submitter's files in the driver's container.",
    since: "firesteel",
    default: "/opt/spark-deps",
  },
);

/** Pods that get the submitter's files. */
export const stagingMode = entry(oneOf(["driverServed", "everywhere", "classPathOnly"]), {
  key: "spark.firesteel.staging.mode",
  doc: "Pods that get the submitter's files: `driverServed` only the driver, from which executors fetch them; `everywhere` also executors, which read jars from their own directory; `classPathOnly` also executors, with jars on the class path of the JVMs instead of in `spark.jars`. The last two require a transport other than `push`.",
  since: "firesteel",
  default: "driverServed",
});

/** Program that fetches remote files of a submission. */
export const stagingRemoteFiles = entry(oneOf(["spark", "initContainer"]), {
  key: "spark.firesteel.staging.remoteFiles",
  doc: "Program that fetches the files of a submission at `http:`, `https:`, `s3a:`, `hdfs:`, `webhdfs:` and `swebhdfs:`: `spark` in the driver, with the classes and credentials in its image; `initContainer` before Spark starts, with the submitter's settings and credentials, into the directory of the submitter's files. Spark fetches those of other schemes. `initContainer` takes precedence over `spark.kubernetes.file.upload.path`.",
  since: "firesteel",
  default: "spark",
});

/** Size in bytes. */
export const stagingSecretMaxSize = entry(
  checked(bytes("B"), (size) => size >= 0 && size <= 16_777_216, "Must be between 0 and 16m."),
  {
    key: "spark.firesteel.staging.secret.maxSize",
    doc: "Maximum size of the submitter's files in Secrets, counted in bytes of base64.",
    since: "firesteel",
    default: "512k",
  },
);

export const stagingServer = optionalEntry(serverUrl, {
  key: "spark.firesteel.staging.server",
  alternatives: ["spark.kubernetes.resourceStagingServer.uri"],
  doc: "Staging server for the submitter's files, e.g. `https://staging.example:10000`.",
  since: "firesteel",
});

export const stagingServerInternalUrl = optionalEntry(serverUrl, {
  key: "spark.firesteel.staging.server.internalUrl",
  alternatives: ["spark.kubernetes.resourceStagingServer.internal.uri"],
  doc: "Address of the staging server for pods, if it differs from the submitter's and the server does not report it.",
  since: "firesteel",
});

export const stagingServerAuthority = optionalEntry(text, {
  key: "spark.firesteel.staging.server.caCertFile",
  doc: "File on the submitter's machine with the CA certificate of the staging server, as PEM. The default is the system's certificates.",
  since: "firesteel",
});

export const stagingServerToken = optionalEntry(text, {
  key: "spark.firesteel.staging.server.tokenFile",
  doc: "File on the submitter's machine with a Kubernetes token that authenticates the submitter to the staging server.",
  since: "firesteel",
});

export const stagingInitImage = optionalEntry(text, {
  key: "spark.firesteel.staging.initContainer.image",
  doc: "Image of the init container that fetches files into the driver's pod, which `firesteel image build` makes. The embedded cluster has its own.",
  since: "firesteel",
});

/** Time in seconds. */
export const stagingInitTimeout = entry(
  checked(duration("s"), (limit) => limit > 0, "Must be at least 1s."),
  {
    key: "spark.firesteel.staging.initContainer.timeout",
    alternatives: ["spark.kubernetes.mountDependencies.timeout"],
    doc: "Maximum time for the init container to fetch the files from a staging server or a bucket, including retries while the server is not available.",
    since: "firesteel",
    default: "300s",
  },
);
