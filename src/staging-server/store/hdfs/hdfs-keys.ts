import { openSharedKeys } from "../shared-keys.ts";
import type { SigningKeys } from "../signing-keys.ts";
import { readText, writeNew } from "./hdfs-files.ts";
import type { HdfsScope } from "./hdfs-scope.ts";

/** Opens the signing keys of a store in an HDFS. */
export function openHdfsKeys(scope: HdfsScope): Promise<SigningKeys> {
  const { hdfs, host, layout } = scope;
  return openSharedKeys(host.random, {
    shown: `${layout.keys} of the HDFS`,
    async read() {
      const found: (readonly [string, string])[] = [];
      for (const { name } of (await hdfs.list(layout.keys)) ?? [])
        found.push([name, (await readText(scope, `${layout.keys}/${name}`)) ?? ""]);
      return found;
    },
    createFirst: (text) => writeNew(scope, `${layout.keys}/first`, text),
  });
}
