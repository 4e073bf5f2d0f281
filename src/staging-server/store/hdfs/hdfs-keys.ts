import type { SigningKey, SigningKeys } from "../signing-keys.ts";
import { readText, writeNew } from "./hdfs-files.ts";
import type { HdfsScope } from "./hdfs-scope.ts";

const secretBytes = 32;

/** Opens the signing keys of a store in an HDFS. The first server creates a key, which all servers share. */
export async function openHdfsKeys(scope: HdfsScope): Promise<SigningKeys> {
  const { hdfs, host, layout } = scope;
  const read = async (): Promise<readonly SigningKey[]> => {
    const keys: SigningKey[] = [];
    for (const { name } of (await hdfs.list(layout.keys)) ?? []) {
      const text = (await readText(scope, `${layout.keys}/${name}`)) ?? "";
      if (text.length >= 16) keys.push({ kid: name, secret: Buffer.from(text) });
    }
    return keys;
  };
  if ((await read()).length === 0)
    await writeNew(scope, `${layout.keys}/first`, Buffer.from(host.random.bytes(secretBytes)).toString("base64"));
  const keys = await read();
  return {
    newest() {
      const key = keys.at(-1);
      if (key === undefined) throw new Error(`There is no signing key in ${layout.keys} of the HDFS.`);
      return key;
    },
    find: (kid) => keys.find((key) => key.kid === kid),
  };
}
