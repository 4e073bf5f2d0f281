import type { Finding } from "../../rule.ts";
import { keys } from "../../settings.ts";

/** Builds the finding for a file that the driver does not find. `paths` holds its path, among empty matches. */
export function missingFile(
  what: "jar" | "script",
  paths: readonly (string | undefined)[],
): Pick<Finding, "message" | "nextStep" | "key"> {
  const path = paths.find((one) => one !== undefined) ?? "";
  // The directory to which a submission uploads a file.
  if (!path.includes("/spark-upload-")) {
    return { message: `The ${what} ${path} is not in the image of the driver.` };
  }
  return {
    message: `The ${what} ${path} was uploaded, but the driver cannot open it there.`,
    nextStep: `Mount the directory of ${keys.uploadPath} at the same path in the driver (${keys.volume}…) and the executors, so that the user of the image may read it.`,
    key: keys.uploadPath,
  };
}
