import { dirname } from "node:path";
import { findModule } from "./find-module.ts";

/** Exchange with one service, from the client's side. */
export interface GssapiContext {
  /** Returns the next token (Base64) for the service. The first challenge is empty. Rejects with the reason of libkrb5. */
  readonly step: (challenge: string) => Promise<string>;
}

/** Client side of GSSAPI. */
export interface Gssapi {
  /** Starts an exchange of SPNEGO with a service, e.g. `HTTP@host`, as a principal or the default one. */
  readonly open: (service: string, principal: string | undefined) => Promise<GssapiContext>;
  /** Uses a keytab instead of the user's tickets, for all exchanges from now on. Tickets stay in memory. */
  readonly useKeytab: (path: string) => void;
}

/** Functions of the npm package `kerberos` that are used. */
interface KerberosPackage {
  readonly GSS_MECH_OID_SPNEGO: number;
  readonly initializeClient: (
    service: string,
    options: { readonly mechOID: number; readonly principal?: string },
  ) => Promise<GssapiContext>;
}

/**
 * Loads the optional npm package `kerberos`, installed beside a program.
 *
 * @throws Error with the reason if it is not installed or its binary does not load
 */
export async function loadGssapi(programPath: string): Promise<Gssapi> {
  const { href } = findModule(dirname(programPath), "kerberos");
  const { default: module }: { readonly default?: unknown } = await import(href);
  if (!isPackage(module)) throw new Error("the package kerberos has no initializeClient");
  return {
    open: (service, principal) =>
      module.initializeClient(service, {
        mechOID: module.GSS_MECH_OID_SPNEGO,
        ...(principal === undefined ? {} : { principal }),
      }),
    // libkrb5 reads the environment of the process itself.
    useKeytab(path) {
      process.env["KRB5_CLIENT_KTNAME"] = `FILE:${path}`;
      process.env["KRB5CCNAME"] = "MEMORY:firesteel";
    },
  };
}

function isPackage(value: unknown): value is KerberosPackage {
  return typeof value === "object" && value !== null && "initializeClient" in value && "GSS_MECH_OID_SPNEGO" in value;
}
