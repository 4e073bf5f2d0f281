import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { submitError } from "../../errors/submit-error.ts";
import type { Files } from "../../host/host.ts";

/** A built file, in the forms in which it is sent. */
export interface DashboardFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  /** Entity tag of the bytes. */
  readonly tag: string;
}

/** Files of the dashboard by name. Every name except `index.html` contains the digest of the content. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

/** Name of the page. */
export const pageName = "index.html";

const types = new Map([
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["svg", "image/svg+xml"],
]);

/** Reads the files that the build wrote. @throws SUBMIT_ERR_GATEWAY_START if the page is missing */
export function readDashboard(files: Pick<Files, "list" | "readBytes">, directory: string): DashboardFiles {
  const found = new Map<string, DashboardFile>();
  for (const name of files.list(directory) ?? []) {
    const type = types.get(name.slice(name.lastIndexOf(".") + 1));
    const bytes = files.readBytes(`${directory}/${name}`);
    if (type !== undefined && bytes !== undefined) found.set(name, dashboardFile(type, bytes));
  }
  if (found.has(pageName)) return found;
  throw submitError("SUBMIT_ERR_GATEWAY_START", { reason: `${directory}/${pageName} does not exist` });
}

function dashboardFile(type: string, bytes: Uint8Array): DashboardFile {
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { type, bytes, gzip: gzipSync(bytes, { level: 9 }), tag: digest };
}
