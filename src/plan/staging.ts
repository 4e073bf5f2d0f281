import { stagingSecretMaxSize, stagingTransport } from "../conf/entries/localizing.ts";
import type { Issue } from "../errors/issue.ts";
import type { Facts } from "./facts.ts";
import { localDependencies } from "./local-dependencies.ts";
import { localizingIssues, type PlannedLocalizing, planLocalizing } from "./localized-dependencies.ts";
import { fetchesRemoteFiles } from "./remote-files.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { planUploads, uploadIssues, uploadPath } from "./uploads.ts";

/** Plans how the local dependencies of a submission reach the pods, and the settings that the driver gets for them. */
export function planStaging(request: SubmitRequest, facts: Facts): PlannedLocalizing {
  if (!isUploaded(request)) return planLocalizing(request, facts);
  return { ...planUploads(request, facts), localized: undefined };
}

/** Reports why local dependencies cannot reach the pods. */
export function stagingIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  return isUploaded(request) ? uploadIssues(request, facts) : localizingIssues(request, facts);
}

/** Whether pods need files that only the submitter's machine has, or that the init container fetches. */
export function needsStaging(request: SubmitRequest): boolean {
  return localDependencies(request).length > 0 || fetchesRemoteFiles(request);
}

/** Whether dependencies are uploaded to a shared file system, as Spark does, instead of using a transport of Firesteel. */
export function isUploaded(request: SubmitRequest): boolean {
  if (request.behaviors.localFiles === "spark") return true;
  const transport = request.conf.read(stagingTransport);
  const isChosen = transport.ok && transport.value !== stagingTransport.absent;
  return !isChosen && !fetchesRemoteFiles(request) && uploadPath(request) !== undefined;
}

/** Maximum size of all files in Secrets, in bytes of base64; 0 when the setting is invalid. */
export function maxSecretBytes({ conf }: SubmitRequest): number {
  const size = conf.read(stagingSecretMaxSize);
  return size.ok ? size.value : 0;
}
