import type { Random } from "../../host/host.ts";
import { type SigningKey, type SigningKeys, secretBytes } from "./signing-keys.ts";

/** Keys in a store that several servers use. */
interface KeyStore {
  /** Location of the keys, for messages. */
  readonly shown: string;
  /** Reads names and contents, sorted by name. */
  readonly read: () => Promise<readonly (readonly [kid: string, text: string])[]>;
  /** Creates the first key, unless another server has done so. */
  readonly createFirst: (text: string) => Promise<unknown>;
}

/** Opens the signing keys of a store that several servers use. The first server creates a key, which all servers share. */
export async function openSharedKeys(random: Pick<Random, "bytes">, store: KeyStore): Promise<SigningKeys> {
  const read = async (): Promise<readonly SigningKey[]> =>
    (await store.read()).flatMap(([kid, text]) => (text.length >= 16 ? [{ kid, secret: Buffer.from(text) }] : []));
  if ((await read()).length === 0) await store.createFirst(Buffer.from(random.bytes(secretBytes)).toString("base64"));
  const keys = await read();
  return {
    newest() {
      const key = keys.at(-1);
      if (key === undefined) throw new Error(`There is no signing key in ${store.shown}.`);
      return key;
    },
    find: (kid) => keys.find((key) => key.kid === kid),
  };
}
