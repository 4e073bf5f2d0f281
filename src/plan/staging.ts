import { stagingSecretMaxSize, stagingTransport } from "../conf/entries/localizing.ts";
import type { Issue } from "../errors/issue.ts";
import type { Facts } from "./facts.ts";
import { localizingIssues, type PlannedLocalizing, planLocalizing } from "./localized-dependencies.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { planUploads, uploadIssues, uploadPath } from "./uploads.ts";

/** How the local dependencies of a submission reach the pods, and what the driver is told of them. */
export function planStaging(request: SubmitRequest, facts: Facts): PlannedLocalizing {
  if (!isUploaded(request)) return planLocalizing(request, facts);
  return { ...planUploads(request, facts), localized: undefined };
}

/** Why they cannot reach them. */
export function stagingIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  return isUploaded(request) ? uploadIssues(request, facts) : localizingIssues(request, facts);
}

/** True where they go to a file system that the pods share, as Spark does it; else the pods get them from us. */
export function isUploaded(request: SubmitRequest): boolean {
  if (request.strict) return true;
  const transport = request.conf.read(stagingTransport);
  const isChosen = transport.ok && transport.value !== stagingTransport.absent;
  return !isChosen && uploadPath(request) !== undefined;
}

/** Most bytes of base64 that Secrets carry; 0 where the setting is wrong. */
export function maxSecretBytes({ conf }: SubmitRequest): number {
  const size = conf.read(stagingSecretMaxSize);
  return size.ok ? size.value : 0;
}
