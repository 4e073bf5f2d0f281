import { type AppliedApplication, type AppliedSchedule, readApplied } from "../../applications/applied-application.ts";
import { loadOperatorOptions } from "../../applications/load-application.ts";
import { readManifest } from "../../applications/read-manifest.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { FileArguments } from "./cluster-options.ts";
import { printWarnings } from "./print-warnings.ts";
import { reservedKeysOf } from "./reserved-keys.ts";

/** Reads the applications of all files, and prints their warnings. @throws SUBMIT_ERR_MANIFEST_… */
export async function loadFiles(
  host: Host,
  { files, value, namespace }: Pick<FileArguments<never>, "files" | "value" | "namespace">,
): Promise<readonly (AppliedApplication | (AppliedSchedule & { readonly file: string }))[]> {
  const options = {
    options: await loadOperatorOptions(host, value("--operator-options")),
    reservedKeys: reservedKeysOf(value("--reserved-keys")),
    namespace,
  };
  const loaded = [];
  for (const file of files) {
    const documents = await readManifest(host, file);
    if (documents.length === 0)
      throw submitError("SUBMIT_ERR_MANIFEST_KIND", { file, found: "nothing", allowed: "applications" });
    for (const document of documents) loaded.push({ ...readApplied(host, { file, document }, options), file });
  }
  for (const each of loaded) if (each.kind === "application") printWarnings(host, each.warnings);
  return loaded;
}
