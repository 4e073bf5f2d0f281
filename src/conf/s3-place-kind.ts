import { failure, success } from "../errors/issue.ts";
import { parseS3Place, printS3Place, type S3Place } from "../values/s3-place.ts";
import type { Kind } from "./entry.ts";

/** `s3://bucket` or `s3://bucket/folder`. */
export const s3Place: Kind<S3Place> = {
  parse: (given, { key, traits: { conditionMessages: condition } }) => {
    const place = parseS3Place(given);
    if (place !== undefined) return success(place);
    const requirement =
      "Must be s3://BUCKET or s3://BUCKET/FOLDER, BUCKET of 3 to 63 lower-case letters, digits, dots and hyphens.";
    return failure("SUBMIT_ERR_SETTING_VALUE", { key, value: given, requirement, condition });
  },
  print: printS3Place,
};
