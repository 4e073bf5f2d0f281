import { entry } from "../entry.ts";
import { bytes, checked, oneOf, text } from "../kinds.ts";

/** The ways in which files of this machine reach the pods. */
export const stagingTransport = entry(oneOf(["auto", "none", "secret"]), {
  key: "spark.firesteel.staging.transport",
  doc: "How files of this machine reach the driver where `spark.kubernetes.file.upload.path` does not say it: `secret` as Secrets that the driver mounts, `none` not at all, `auto` what fits. Another value than `auto` counts more than the upload path.",
  since: "firesteel",
  default: "auto",
});

/** An absolute path. */
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
