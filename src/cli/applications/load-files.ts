import { type AppliedApplication, type AppliedSchedule, readApplied } from "../../applications/applied-application.ts";
import { loadOperatorOptions } from "../../applications/load-application.ts";
import { readManifest } from "../../applications/read-manifest.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { submitError, throwIssues } from "../../errors/submit-error.ts";
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
    for (const document of documents) loaded.push({ ...readApplied({ file, document }, options), file });
  }
  throwIssues(duplicateIssues(loaded.filter((each) => each.kind === "application")));
  for (const each of loaded) if (each.kind === "application") printWarnings(host, each.warnings);
  return loaded;
}

/** Two applications with one driver would replace each other. */
function duplicateIssues(applications: readonly AppliedApplication[]): readonly Issue[] {
  const files = new Map<string, string>();
  return applications.flatMap(({ file, name, namespace, podName }) => {
    const driver = `${namespace}:${podName}`;
    const other = files.get(driver);
    files.set(driver, other ?? file);
    if (other === undefined) return [];
    const problem = `is ${name}, whose driver ${driver} is also that of another application in ${other}`;
    const advice = "Give each application a name of its own.";
    return [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path: "name", problem, advice })];
  });
}
