import { failure, success } from "../errors/issue.ts";
import { parseS3Location, printS3Location, type S3Location } from "../values/s3-location.ts";
import type { Kind } from "./entry.ts";

/** Location in S3: `s3://bucket` or `s3://bucket/directory`. */
export const s3Location: Kind<S3Location> = {
  parse: (text, { key, traits: { conditionMessages: condition } }) => {
    const location = parseS3Location(text);
    if (location !== undefined) return success(location);
    const requirement =
      "Must be s3://BUCKET or s3://BUCKET/DIRECTORY, with a BUCKET of 3 to 63 lower-case letters, digits, dots and hyphens.";
    return failure("SUBMIT_ERR_SETTING_VALUE", { key, value: text, requirement, condition });
  },
  print: printS3Location,
};
