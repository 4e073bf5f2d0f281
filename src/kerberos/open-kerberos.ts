import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type Gssapi, loadGssapi } from "../host/node-gssapi.ts";
import type { KerberosSession, KeytabLogin } from "./kerberos-session.ts";
import { runTool } from "./run-tool.ts";

/** Programs that replace the package. */
const keytabPrograms = ["kinit", "curl"];
const ticketPrograms = ["curl"];

/**
 * Logs in to Kerberos: by GSSAPI with the npm package `kerberos`, else with the programs `kinit` and `curl`.
 *
 * @param login keys; @default the user's tickets
 *
 * Rejects with SUBMIT_ERR_KERBEROS_MISSING, SUBMIT_ERR_KERBEROS_LOGIN, SUBMIT_ERR_FILE_UNREADABLE.
 */
export async function openKerberos(host: Host, login?: KeytabLogin): Promise<KerberosSession> {
  if (login !== undefined) requireReadable(host, login);
  const gssapi = await load(host);
  if (!(gssapi instanceof Error)) {
    const { gssapiSession } = await import("./gssapi-session.ts");
    return gssapiSession(host, gssapi, login);
  }
  const programs = login === undefined ? ticketPrograms : keytabPrograms;
  const missing = await missingPrograms(host, programs);
  if (missing.length > 0)
    throw submitError("SUBMIT_ERR_KERBEROS_MISSING", { reason: messageOf(gssapi), missing }, { cause: gssapi });
  const { curlSession } = await import("./curl-session.ts");
  return curlSession(host, login);
}

async function load({ files, programPath }: Host): Promise<Gssapi | Error> {
  try {
    return await loadGssapi(files.realPath(programPath) ?? programPath);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function requireReadable({ files }: Host, { keytab }: KeytabLogin): void {
  const refuse = (reason: string) =>
    submitError("SUBMIT_ERR_FILE_UNREADABLE", { what: "the Kerberos keytab", path: keytab, reason });
  let bytes: Uint8Array | undefined;
  try {
    bytes = files.readBytes(keytab);
  } catch (error) {
    throw refuse(messageOf(error));
  }
  if (bytes === undefined) throw refuse("No such file or directory");
}

/** Returns the programs that are not installed, or, for curl, that were built without Kerberos. */
async function missingPrograms(host: Host, programs: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const program of programs) {
    const { code, stdout } = await runTool(host, program, [program === "curl" ? "--version" : "-V"]);
    if (code === 127 || (program === "curl" && !/\b(?:SPNEGO|GSS-API|Kerberos)\b/.test(stdout))) missing.push(program);
  }
  return missing;
}
