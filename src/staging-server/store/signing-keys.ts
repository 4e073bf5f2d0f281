import type { Host } from "../../host/host.ts";

/** A secret that tokens are signed with, and its name. */
export interface SigningKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** The keys as they are now: those of a mounted Secret change while the server runs. */
export interface SigningKeys {
  /** Returns the key that signs new tokens: the last by name. @throws Error if there is no key */
  readonly newest: () => SigningKey;
  readonly find: (kid: string) => SigningKey | undefined;
}

const secretBytes = 32;

/**
 * The keys in a folder: each file is one, its name the key's. Read whenever one is needed; a few small files cost nothing.
 *
 * Without a folder of keys the store has one of its own, made when there is none.
 */
export function openSigningKeys(
  { files, random }: Pick<Host, "files" | "random">,
  { folder, isOwn }: { readonly folder: string; readonly isOwn: boolean },
): SigningKeys {
  if (isOwn && keysIn(files, folder).length === 0) {
    files.makeDirectory(folder, { mode: 0o700 });
    const text = Buffer.from(random.bytes(secretBytes)).toString("base64");
    files.write(`${folder}/${random.uuid()}`, text, { mode: 0o600 });
  }
  return {
    newest() {
      const key = keysIn(files, folder).at(-1);
      if (key === undefined) throw new Error(`There is no signing key in ${folder}.`);
      return key;
    },
    find: (kid) => keysIn(files, folder).find((key) => key.kid === kid),
  };
}

/** Sorted by name. A mounted Secret has folders of its own beside the keys, whose names begin with dots. */
function keysIn(files: Host["files"], folder: string): readonly SigningKey[] {
  return (files.list(folder) ?? []).flatMap((kid) => {
    if (kid.startsWith(".") || files.info(`${folder}/${kid}`)?.kind !== "file") return [];
    const secret = files.readBytes(`${folder}/${kid}`);
    return secret === undefined || secret.length < 16 ? [] : [{ kid, secret }];
  });
}
