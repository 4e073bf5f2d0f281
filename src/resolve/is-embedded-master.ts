import { clusterRecordFile, clustersDirectory } from "../host/clusters-directory.ts";
import type { Host } from "../host/host.ts";
import { undefinedIfForbidden } from "../host/undefined-if-forbidden.ts";
import { isFields } from "../values/fields.ts";

/** Returns whether a master is an embedded cluster: `k8s://embedded[/NAME]`, or the URL of a background cluster of this user. */
export function isEmbeddedMaster(host: Pick<Host, "env" | "cwd" | "user" | "files">, master: string): boolean {
  if (`${master}/`.startsWith("k8s://embedded/")) return true;
  const url = addressOf(master.replace(/^k8s:\/\//, ""));
  if (url === undefined) return false;
  const directory = clustersDirectory(host);
  const names = undefinedIfForbidden(() => host.files.list(directory)) ?? [];
  return names.some((name) => urlOf(host, `${directory}/${name}/${clusterRecordFile}`) === url);
}

function urlOf({ files }: Pick<Host, "files">, path: string): string | undefined {
  try {
    const record: unknown = JSON.parse(files.readText(path) ?? "");
    return isFields(record) && typeof record["url"] === "string" ? addressOf(record["url"]) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns scheme, host and port of a URL, as Spark reads one: without a scheme, it is HTTPS. */
function addressOf(text: string): string | undefined {
  const url = text.includes("://") ? text : `https://${text}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
