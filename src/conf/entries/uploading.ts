import { entry } from "../entry.ts";
import { boolean } from "../kinds.ts";

export const removeUploads = entry(boolean, {
  key: "spark.firesteel.staging.removeUploads",
  doc: "Remove the files that were uploaded to `spark.kubernetes.file.upload.path` for a driver when it has ended. The waiting submission removes them; otherwise `kill`, `attach` and `sweep` do.",
  since: "firesteel",
  default: "false",
});
