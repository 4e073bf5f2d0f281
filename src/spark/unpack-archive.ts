import type { Host } from "../host/host.ts";
import { lastLine, runCommand } from "./run-command.ts";

/** Unpacks a `.tar.gz` without its outermost folder; gives the reason when that fails. */
export async function unpackArchive(
  host: Host,
  { archive, into }: { readonly archive: string; readonly into: string },
): Promise<string | undefined> {
  host.files.makeDirectory(into);
  const words = ["--no-same-owner", "-xzf", archive, "-C", into, "--strip-components=1"];
  const { code, stderr } = await runCommand(host, ["tar", ...words]);
  if (code === 0) return undefined;
  return `${archive.slice(archive.lastIndexOf("/") + 1)} could not be unpacked: ${lastLine(stderr)}`;
}
