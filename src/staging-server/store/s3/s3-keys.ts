import { openSharedKeys } from "../shared-keys.ts";
import type { SigningKeys } from "../signing-keys.ts";
import type { S3Scope } from "./s3-scope.ts";

/** Opens the signing keys of a store in a bucket. */
export function openS3Keys({ bucket, host, layout, isConditional }: S3Scope): Promise<SigningKeys> {
  return openSharedKeys(host.random, {
    shown: `${layout.keys} of the bucket`,
    async read() {
      const found: (readonly [string, string])[] = [];
      for await (const { key } of bucket.list(`${layout.keys}/`))
        found.push([key.slice(layout.keys.length + 1), (await bucket.readText(key))?.text ?? ""]);
      return found.sort(([a], [b]) => (a < b ? -1 : 1));
    },
    createFirst: (text) =>
      bucket.put(`${layout.keys}/first`, text, isConditional ? { condition: { ifAbsent: true } } : {}),
  });
}
