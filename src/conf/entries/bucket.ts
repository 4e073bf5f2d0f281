import { entry, optionalEntry } from "../entry.ts";
import { boolean, checked, duration, serverUrl, text } from "../kinds.ts";
import { s3Location } from "../s3-location-kind.ts";

export const stagingS3Path = optionalEntry(s3Location, {
  key: "spark.firesteel.staging.s3.path",
  doc: "Where in S3 files of this machine are put, each under its SHA-256, e.g. `s3://bucket/staging`. Credentials are those of the AWS tools.",
  since: "firesteel",
});

export const stagingS3Endpoint = optionalEntry(serverUrl, {
  key: "spark.firesteel.staging.s3.endpoint",
  doc: "The S3 server, if it is not Amazon's.",
  since: "firesteel",
});

export const stagingS3PodEndpoint = optionalEntry(serverUrl, {
  key: "spark.firesteel.staging.s3.internalUrl",
  doc: "Address of the S3 server for pods, if it differs from the submitter's.",
  since: "firesteel",
});

export const stagingS3Region = optionalEntry(text, {
  key: "spark.firesteel.staging.s3.region",
  doc: "The region of the bucket; without it, that of the AWS tools.",
  since: "firesteel",
});

export const stagingS3PathStyle = optionalEntry(boolean, {
  key: "spark.firesteel.staging.s3.pathStyle",
  doc: "Whether the bucket is a part of the path, and not of the host's name; without it, so for servers that are not Amazon's.",
  since: "firesteel",
});

export const stagingS3Authority = optionalEntry(text, {
  key: "spark.firesteel.staging.s3.caCertFile",
  doc: "File of this machine with the authority of the S3 server, PEM; without it, that of the system.",
  since: "firesteel",
});

/** In ms. */
export const stagingS3UrlLifetime = entry(
  checked(
    duration("ms"),
    (lifetime) => lifetime >= 60_000 && lifetime <= 604_800_000,
    "Must be between 1min and 7d.",
  ),
  {
    key: "spark.firesteel.staging.s3.urlLife",
    doc: "How long the signed URLs are good with which pods get the files; those of temporary credentials end with these.",
    since: "firesteel",
    default: "7d",
  },
);
