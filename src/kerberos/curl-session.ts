import { createServer } from "node:http";
import type { Host } from "../host/host.ts";
import { currentPrincipal } from "./current-principal.ts";
import type { KerberosSession, KeytabLogin } from "./kerberos-session.ts";
import { loginError } from "./login-error.ts";
import { runTool } from "./run-tool.ts";

/**
 * Opens a session with programs of the machine: `kinit` for a keytab, and `curl` for the tokens.
 *
 * Rejects with SUBMIT_ERR_KERBEROS_LOGIN.
 */
export async function curlSession(host: Host, login: KeytabLogin | undefined): Promise<KerberosSession> {
  const cache = login === undefined ? undefined : await createCache(host, login);
  const principal = login?.principal ?? (await currentPrincipal(host));
  return {
    principal,
    async negotiate(hostName) {
      const first = await tokenFor(host, hostName, cache?.env ?? {});
      // The tickets of a server that runs for days expire.
      const hasExpired = cache !== undefined && first.token === undefined && /expired/i.test(first.reason);
      if (hasExpired) await cache.fill();
      const { token, reason } = hasExpired ? await tokenFor(host, hostName, cache.env) : first;
      if (token === undefined) throw loginError(`${principal} at ${hostName}`, reason);
      // curl does not pass on what the service returns; its identity is that of TLS.
      return { token, verify: async () => {} };
    },
    close: () => cache?.remove(),
  };
}

/** Tickets of a keytab in a file that only this process uses. */
interface TicketCache {
  /** Names the cache to programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets new tickets. Rejects with SUBMIT_ERR_KERBEROS_LOGIN. */
  readonly fill: () => Promise<void>;
  readonly remove: () => void;
}

async function createCache(host: Host, { keytab, principal }: KeytabLogin): Promise<TicketCache> {
  const directory = host.files.makeTemporaryDirectory("firesteel-kerberos-");
  const env = { KRB5CCNAME: `FILE:${directory}/tickets` };
  const fill = async () => {
    const { code, stderr } = await runTool(host, "kinit", ["-k", "-t", keytab, principal], env);
    if (code !== 0) throw loginError(principal, stderr);
  };
  const remove = () => host.files.remove(directory);
  try {
    await fill();
  } catch (error) {
    remove();
    throw error;
  }
  return { env, fill, remove };
}

/**
 * Returns the token for the web server of a host. curl only puts it into the header of a request, so the request goes to a server
 * of this process, and that server reads the header.
 */
async function tokenFor(
  host: Host,
  hostName: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly token: string | undefined; readonly reason: string }> {
  let token: string | undefined;
  const server = createServer((request, response) => {
    token ??= /^Negotiate (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
    response.writeHead(token === undefined ? 401 : 200, { "www-authenticate": "Negotiate" }).end();
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const name = hostName.includes(":") ? `[${hostName}]` : hostName;
  const url = `http://${name}:${port}/`;
  const options = ["--silent", "--verbose", "--output", "/dev/null", "--noproxy", "*", "--negotiate", "--user", ":"];
  try {
    const { stderr } = await runTool(
      host,
      "curl",
      [...options, "--connect-to", `::127.0.0.1:${port}`, "--url", url],
      env,
    );
    const [, reason = "curl got no token from Kerberos"] = /\bfailed: (.*)/.exec(stderr) ?? [];
    return { token, reason };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
