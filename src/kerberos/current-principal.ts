import type { Host } from "../host/host.ts";
import { principalOfTicketCache } from "../values/ticket-cache.ts";
import { loginError } from "./login-error.ts";
import { runTool } from "./run-tool.ts";

/**
 * Returns the principal of the user's tickets: from a cache in a file, else from `klist`, which knows all kinds of caches.
 *
 * Rejects with SUBMIT_ERR_KERBEROS_LOGIN. Source: MIT Kerberos, "Credential cache types".
 */
export async function currentPrincipal(host: Host): Promise<string> {
  const name = host.env["KRB5CCNAME"];
  const path = cacheFile(name ?? `/tmp/krb5cc_${host.user.uid}`);
  const bytes = path === undefined ? undefined : readable(host, path);
  const inFile = bytes === undefined ? undefined : principalOfTicketCache(bytes);
  if (inFile !== undefined) return inFile;
  const shown = `the ticket cache${name === undefined ? "" : ` ${name}`}`;
  const { code, stdout, stderr } = await runTool(host, "klist", []);
  const [, principal] = /^\s*(?:Default p|P)rincipal: (\S+)/m.exec(stdout) ?? [];
  if (code === 0 && principal !== undefined) return principal;
  throw loginError(shown, code === 127 ? "No credentials cache found" : stderr || "No credentials cache found");
}

/** Returns the path of a cache that is a file; `undefined` for others, such as KCM and KEYRING. */
function cacheFile(name: string): string | undefined {
  return /^(?:FILE:)?(\/.*)$/.exec(name)?.[1];
}

function readable({ files }: Host, path: string): Uint8Array | undefined {
  try {
    return files.readBytes(path);
  } catch {
    return undefined;
  }
}
