import { expect, test } from "vitest";
import { parseS3Location, printS3Location } from "./s3-location.ts";

test.each([
  ["s3://bucket", { bucket: "bucket", prefix: "" }, "s3://bucket"],
  ["s3://bucket/", { bucket: "bucket", prefix: "" }, "s3://bucket"],
  ["s3a://my.bucket-1/a//b/", { bucket: "my.bucket-1", prefix: "a/b/" }, "s3://my.bucket-1/a/b"],
])("parses and prints %s", (text, location, printed) => {
  expect(parseS3Location(text)).toEqual(location);
  expect(printS3Location(location)).toBe(printed);
});

test.each([
  ...["bucket", "https://bucket", "s3:bucket", "s3://", "s3://B", "s3://ab", "s3://a..b", "s3://-ab"],
  ...["s3://abc-", `s3://${"a".repeat(64)}`, "s3://bucket/a b", "s3://bucket/ä", "s3://user@bucket"],
])("rejects %s", (text) => {
  expect(parseS3Location(text)).toBeUndefined();
});
