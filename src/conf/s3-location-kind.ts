import { failure, success } from "../errors/issue.ts";
import { parseS3Location, printS3Location, type S3Location } from "../values/s3-location.ts";
import type { Kind } from "./entry.ts";

/** `s3://bucket` or `s3://bucket/folder`. */
export const s3Location: Kind<S3Location> = {
  parse: (given, { key, traits: { conditionMessages: condition } }) => {
    const place = parseS3Location(given);
    if (place !== undefined) return success(place);
    const requirement =
      "Must be s3://BUCKET or s3://BUCKET/FOLDER, BUCKET of 3 to 63 lower-case letters, digits, dots and hyphens.";
    return failure("SUBMIT_ERR_SETTING_VALUE", { key, value: given, requirement, condition });
  },
  print: printS3Location,
};
