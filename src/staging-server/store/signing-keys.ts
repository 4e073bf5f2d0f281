import type { Host } from "../../host/host.ts";
import { replaceFile } from "../../host/replace-file.ts";

/** Named secret that signs tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** Current signing keys. The keys of a mounted Secret can change while the server runs. */
export interface SigningKeys {
  /** Returns the key that signs new tokens: the last one by name. @throws Error if no key exists */
  readonly newest: () => SigningKey;
  readonly find: (kid: string) => SigningKey | undefined;
}

/** Size of a generated secret. */
export const secretBytes = 32;

/**
 * Opens a directory of keys: each file is a key, and its name is the key ID. Reads the files on each use, because a mounted Secret
 * can change.
 *
 * If `isOwn` and the directory has no key, creates one.
 */
export function openSigningKeys(
  { files, random }: Pick<Host, "files" | "random">,
  { directory, isOwn }: { readonly directory: string; readonly isOwn: boolean },
): SigningKeys {
  if (isOwn && readKeys(files, directory).length === 0) {
    files.makeDirectory(directory, { mode: 0o700 });
    const text = Buffer.from(random.bytes(secretBytes)).toString("base64");
    replaceFile({ files, random }, `${directory}/${random.uuid()}`, text, { mode: 0o600 });
  }
  return {
    newest() {
      const key = readKeys(files, directory).at(-1);
      if (key === undefined) throw new Error(`There is no signing key in ${directory}.`);
      return key;
    },
    find: (kid) => readKeys(files, directory).find((key) => key.kid === kid),
  };
}

/** Reads the keys, sorted by name. Skips the entries of a mounted Secret whose names begin with a dot. */
function readKeys(files: Host["files"], directory: string): readonly SigningKey[] {
  return (files.list(directory) ?? []).flatMap((kid) => {
    if (kid.startsWith(".") || files.info(`${directory}/${kid}`)?.kind !== "file") return [];
    const secret = files.readBytes(`${directory}/${kid}`);
    return secret === undefined || secret.length < 16 ? [] : [{ kid, secret }];
  });
}
