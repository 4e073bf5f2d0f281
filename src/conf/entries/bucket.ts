import { entry, optionalEntry } from "../entry.ts";
import { boolean, checked, duration, serverUrl, text } from "../kinds.ts";
import { s3Location } from "../s3-location-kind.ts";

export const stagingS3Path = optionalEntry(s3Location, {
  key: "spark.firesteel.staging.s3.path",
  doc: "Location in S3 for the submitter's files, each under its SHA-256, e.g. `s3://bucket/staging`. The credentials are those of the AWS tools.",
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
  doc: "The region of the bucket. The default is that of the AWS tools.",
  since: "firesteel",
});

export const stagingS3PathStyle = optionalEntry(boolean, {
  key: "spark.firesteel.staging.s3.pathStyle",
  doc: "Whether the bucket is part of the path instead of the host name. The default is `true` for servers other than Amazon's.",
  since: "firesteel",
});

export const stagingS3Authority = optionalEntry(text, {
  key: "spark.firesteel.staging.s3.caCertFile",
  doc: "File on the submitter's machine with the CA certificate of the S3 server, as PEM. The default is the system's certificates.",
  since: "firesteel",
});

/** Validity in ms. */
export const stagingS3UrlLifetime = entry(
  checked(duration("ms"), (lifetime) => lifetime >= 60_000 && lifetime <= 604_800_000, "Must be between 1min and 7d."),
  {
    key: "spark.firesteel.staging.s3.urlLife",
    doc: "Validity of the signed URLs from which pods fetch the files. URLs of temporary credentials expire with the credentials.",
    since: "firesteel",
    default: "7d",
  },
);
