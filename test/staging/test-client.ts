import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../../src/host/node-host.ts";
import { digestCache } from "../../src/staging-client/digest-cache.ts";
import { type StagedFile, type StagingServer, stagingClient } from "../../src/staging-client/staging-client.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";

/** Owner of the staged files. */
export const driverOwner = { namespace: "team", labels: { "spark-role": "driver" }, type: "Pod" } as const;

const host = nodeHost();

/** Creates a client with its own cache unless `more` specifies one. */
export function testClient(url: string, more: Partial<StagingServer> = {}) {
  return stagingClient(host, { url, cachePath: temporaryDirectory(), timeoutMs: 5000, ...more });
}

/** Writes local files with these contents. Returns them as entries. */
export async function stageable(
  contents: Readonly<Record<string, Uint8Array | string>>,
): Promise<readonly StagedFile[]> {
  const directory = temporaryDirectory();
  const digests = digestCache(host, join(directory, "cache"));
  return Promise.all(
    Object.entries(contents).map(async ([name, content]) => {
      const path = join(directory, name);
      writeFileSync(path, content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
      return {
        kind: name.endsWith(".jar") ? "jar" : "file",
        name,
        path,
        ...(await digests.digestOf(path)),
      } as const;
    }),
  );
}
