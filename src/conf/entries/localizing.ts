import { entry, optionalEntry } from "../entry.ts";
import { bytes, checked, duration, oneOf, serverUrl, text } from "../kinds.ts";

/** Transports of the submitter's files to the pods, in the order in which `auto` tries them. */
export const transports = ["secret", "server", "s3", "push"] as const;

/** Transport: a row of `plan/transports`, of `features/transports` and, unless objects contain all files, of `masters/kubernetes/stage/transports`. */
export type Transport = (typeof transports)[number];

/** Transport of the submitter's files to the pods. */
export const stagingTransport = entry(oneOf(["auto", "none", ...transports]), {
  key: "spark.firesteel.staging.transport",
  doc: "How files of this machine reach the driver where `spark.kubernetes.file.upload.path` does not say it: `secret` as Secrets that the driver mounts, `server` through a staging server and an init container, `s3` through a bucket and an init container, `push` from us into a waiting init container, `none` not at all, `auto` what fits. Another value than `auto` counts more than the upload path.",
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
    doc: "Where the driver finds the files of this machine.",
    since: "firesteel",
    default: "/opt/spark-deps",
  },
);

/** Pods that get the submitter's files. */
export const stagingMode = entry(oneOf(["driverServed", "everywhere", "classPathOnly"]), {
  key: "spark.firesteel.staging.mode",
  doc: "Who gets files of this machine: `driverServed` the driver, from which executors fetch them; `everywhere` executors, too, so that they find jars in their own directory; `classPathOnly` the same with jars on the class path of the JVMs instead of in `spark.jars`. The last two need another transport than `push`.",
  since: "firesteel",
  default: "driverServed",
});

/** In bytes. */
export const stagingSecretMaxSize = entry(
  checked(bytes("B"), (size) => size >= 0 && size <= 16_777_216, "Must be between 0 and 16m."),
  {
    key: "spark.firesteel.staging.secret.maxSize",
    doc: "Most bytes of files of this machine that go into Secrets, counted as the base64 that they are there.",
    since: "firesteel",
    default: "512k",
  },
);

export const stagingServer = optionalEntry(serverUrl, {
  key: "spark.firesteel.staging.server",
  alternatives: ["spark.kubernetes.resourceStagingServer.uri"],
  doc: "The staging server to which files of this machine are sent, e.g. `https://staging.example:10000`.",
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
  doc: "File of this machine with the authority of the staging server, PEM; without it, that of the system.",
  since: "firesteel",
});

export const stagingServerToken = optionalEntry(text, {
  key: "spark.firesteel.staging.server.tokenFile",
  doc: "File of this machine with a token of Kubernetes that proves to the staging server who stages.",
  since: "firesteel",
});

export const stagingInitImage = entry(text, {
  key: "spark.firesteel.staging.initContainer.image",
  doc: "The image of the init container that brings files into the driver's pod.",
  since: "firesteel",
  default: "firesteel/spark-init-container:0.1.0",
});

/** In seconds. */
export const stagingInitTimeout = entry(
  checked(duration("s"), (limit) => limit > 0, "Must be at least 1s."),
  {
    key: "spark.firesteel.staging.initContainer.timeout",
    alternatives: ["spark.kubernetes.mountDependencies.timeout"],
    doc: "How long the init container may take to fetch the files of a staging server or a bucket, waiting for a server that is away included.",
    since: "firesteel",
    default: "300s",
  },
);
