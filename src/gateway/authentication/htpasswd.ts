import { createHash, timingSafeEqual } from "node:crypto";

/** Verifier of one user's password. */
export type Verify = (password: string) => Promise<boolean>;

/** A password file, or every problem of it. */
export type Htpasswd =
  | { readonly ok: true; readonly users: ReadonlyMap<string, Verify> }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses a file of `htpasswd`: one `USER:HASH` a line, with a bcrypt (`htpasswd -B`) or SHA-1 hash (`-s`). MD5 and crypt hashes are
 * problems, because they are weak or differ between systems. Problems name the line, and neither user nor hash.
 */
export function parseHtpasswd(text: string): Htpasswd {
  const users = new Map<string, Verify>();
  const problems: string[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const where = `line ${at + 1}`;
    const [, user = "", hash = ""] = /^([^:]*):([^:]*)/.exec(line) ?? [];
    const verify = verifierOf(hash.trim());
    if (user === "") problems.push(`${where} does not have the form USER:HASH`);
    else if (verify === undefined) problems.push(`${where} has neither a bcrypt (htpasswd -B) nor a SHA-1 hash (-s)`);
    else if (users.has(user)) problems.push(`${where} repeats a user`);
    else users.set(user, verify);
  }
  if (users.size === 0 && problems.length === 0) problems.push("it has no users");
  return problems.length === 0 ? { ok: true, users } : { ok: false, problems };
}

const sha1Bytes = 20;

function verifierOf(hash: string): Verify | undefined {
  if (/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash)) return (password) => compareBcrypt(password, hash);
  const expected = hash.startsWith("{SHA}") ? Buffer.from(hash.slice(5), "base64") : undefined;
  if (expected?.length !== sha1Bytes) return undefined;
  return async (password) => timingSafeEqual(createHash("sha1").update(password).digest(), expected);
}

async function compareBcrypt(password: string, hash: string): Promise<boolean> {
  const { compare, truncates } = await import("bcryptjs");
  // bcrypt reads 72 bytes only: a longer password would equal all with the same start.
  return !truncates(password) && compare(password, hash);
}
