import { entry, optionalEntry } from "../entry.ts";
import { checked, long, text } from "../kinds.ts";

export const fileUploadPath = optionalEntry(text, {
  key: "spark.kubernetes.file.upload.path",
  doc: "URI to which local dependencies are uploaded.",
  since: "3.0.0",
});

/** Size in bytes. */
export const configMapMaxSize = entry(
  checked(long, (size) => size <= 1_048_576, "Must have at most 1048576 bytes"),
  {
    key: "spark.kubernetes.configMap.maxSize",
    doc: "Maximum size of the ConfigMap with the files of the configuration directory, in bytes.",
    since: "3.1.0",
    default: "1048576",
  },
);
