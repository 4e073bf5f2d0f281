import type { Host } from "../host/host.ts";
import { lastLine, runCommand } from "../host/run-command.ts";

/** Unpacks a `.tar.gz` without its top-level directory. Returns the reason if that fails. */
export async function unpackArchive(
  host: Host,
  { archive, into }: { readonly archive: string; readonly into: string },
): Promise<string | undefined> {
  host.files.makeDirectory(into);
  const tarArgs = ["--no-same-owner", "-xzf", archive, "-C", into, "--strip-components=1"];
  const { code, stderr } = await runCommand(host, ["tar", ...tarArgs]);
  if (code === 0) return undefined;
  return `${archive.slice(archive.lastIndexOf("/") + 1)} could not be unpacked: ${lastLine(stderr)}`;
}
