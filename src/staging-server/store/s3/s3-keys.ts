import type { SigningKey, SigningKeys } from "../signing-keys.ts";
import type { S3Scope } from "./s3-scope.ts";

const secretBytes = 32;

/** Opens the signing keys of a store in a bucket. The first server creates a key, which all servers share. */
export async function openS3Keys({ bucket, host, layout, isConditional }: S3Scope): Promise<SigningKeys> {
  const read = async (): Promise<readonly SigningKey[]> => {
    const keys: SigningKey[] = [];
    for await (const { key } of bucket.list(`${layout.keys}/`)) {
      const text = (await bucket.readText(key))?.text ?? "";
      if (text.length >= 16) keys.push({ kid: key.slice(layout.keys.length + 1), secret: Buffer.from(text) });
    }
    return keys.sort((a, b) => (a.kid < b.kid ? -1 : 1));
  };
  if ((await read()).length === 0) {
    const text = Buffer.from(host.random.bytes(secretBytes)).toString("base64");
    const options = isConditional ? { condition: { ifAbsent: true } as const } : {};
    await bucket.put(`${layout.keys}/first`, text, options);
  }
  const keys = await read();
  return {
    newest() {
      const key = keys.at(-1);
      if (key === undefined) throw new Error(`There is no signing key in ${layout.keys} of the bucket.`);
      return key;
    },
    find: (kid) => keys.find((key) => key.kid === kid),
  };
}
