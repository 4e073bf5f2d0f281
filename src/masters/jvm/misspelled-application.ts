import { undefinedIfForbidden } from "../../host/undefined-if-forbidden.ts";

import { nearestFile } from "../../resolve/nearest-file.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { parseDependencyUri } from "../../values/dependency-uri.ts";
import { isSpecialClass } from "./is-special-class.ts";

type NamedApplication = Pick<ResolvedSubmission, "host" | "fields" | "invocation" | "resource">;

/** Returns a sentence about an application that does not exist on this machine, if a file has a similar name. */
export function misspelledApplication({ host, fields, invocation, resource }: NamedApplication): string | undefined {
  if (invocation.shell !== undefined || isSpecialClass(fields.get("mainClass")?.value)) return undefined;
  const uri = parseDependencyUri(resource);
  if (uri.kind !== "submitterLocal" || !uri.path.startsWith("/")) return undefined;
  if (undefinedIfForbidden(() => host.files.info(uri.path)) !== undefined) return undefined;
  const nearest = nearestFile(host, uri.path);
  return nearest === undefined ? undefined : `${uri.path} does not exist. Did you mean ${nearest}?`;
}
