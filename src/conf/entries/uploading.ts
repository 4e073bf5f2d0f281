import { entry } from "../entry.ts";
import { boolean } from "../kinds.ts";

export const removeUploads = entry(boolean, {
  key: "spark.firesteel.staging.removeUploads",
  doc: "What was uploaded to `spark.kubernetes.file.upload.path` for a driver is removed when it has ended, by whoever then waits for it; else by kill, attach and sweep.",
  since: "firesteel",
  default: "false",
});
