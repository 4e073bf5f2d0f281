import { type AppliedApplication, type AppliedSchedule, readApplied } from "../../applications/applied-application.ts";
import { loadOperatorOptions } from "../../applications/load-operator-options.ts";
import { readManifest } from "../../applications/read-manifest.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { isSubmitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { FileArguments } from "./cluster-options.ts";
import { printWarnings } from "./print-warnings.ts";
import { reservedKeysOf } from "./reserved-keys.ts";

type LoadedResource = AppliedApplication | (AppliedSchedule & { readonly file: string });

/** Reads the applications of all files, and prints their warnings. @throws SUBMIT_ERR_MANIFEST_…: all problems of all files together */
export async function loadFiles(
  host: Host,
  { files, value, namespace }: Pick<FileArguments<never>, "files" | "value" | "namespace">,
): Promise<readonly LoadedResource[]> {
  const options = {
    options: await loadOperatorOptions(host, value("--operator-options")),
    reservedKeys: reservedKeysOf(value("--reserved-keys")),
    namespace,
  };
  const issues: Issue[] = [];
  const loaded: LoadedResource[] = [];
  for (const file of files) {
    const documents = await collectIssues(issues, () => readManifest(host, file));
    if (documents?.length === 0)
      issues.push(issue("SUBMIT_ERR_MANIFEST_KIND", { file, found: "nothing", allowed: "applications" }));
    for (const document of documents ?? []) {
      const resource = await collectIssues(issues, async () => readApplied({ file, document }, options));
      if (resource !== undefined) loaded.push({ ...resource, file });
    }
  }
  throwIssues([...issues, ...duplicateIssues(loaded.filter((each) => each.kind === "application"))]);
  for (const each of loaded) if (each.kind === "application") printWarnings(host, each.warnings);
  return loaded;
}

/** Returns the value of an action. If it throws issues, adds them to the list and returns `undefined`. */
async function collectIssues<T>(issues: Issue[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    issues.push(...error.issues);
    return undefined;
  }
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
