import { authenticateDriver } from "../conf/entries/authenticate.ts";
import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import type { StringMap } from "../kube/types.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";

const credentialFiles = [
  { entry: authenticateDriver.caCertFile, what: "Driver CA cert file" },
  { entry: authenticateDriver.clientKeyFile, what: "Driver client key file" },
  { entry: authenticateDriver.clientCertFile, what: "Driver client cert file" },
];

/**
 * Reads the credential files as Base64 by setting key. Paths are plain, not URIs; Java treats repeated slashes as one.
 *
 * Errors: SUBMIT_ERR_CREDENTIAL_FILE. Source: Spark DriverKubernetesCredentialsFeatureStep.
 */
export function readCredentialFiles({ files, cwd }: Host, conf: SubmitRequest["conf"]): Result<StringMap> {
  const found: Record<string, string> = {};
  const issues: Issue[] = [];
  for (const { entry, what } of credentialFiles) {
    const specified = conf.get(entry);
    if (specified === undefined) continue;
    const path = absolutePath({ cwd }, specified).replace(/\/{2,}/g, "/");
    const bytes = files.info(path)?.kind === "file" ? files.readBytes(path) : undefined;
    if (bytes === undefined) issues.push(issue("SUBMIT_ERR_CREDENTIAL_FILE", { what, path }));
    else found[entry.key] = Buffer.from(bytes).toString("base64");
  }
  return unlessIssues(issues, found);
}
