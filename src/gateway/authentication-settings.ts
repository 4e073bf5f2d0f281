import { resolve } from "node:path";
import { type Issue, issue } from "../errors/issue.ts";
import type { AuthenticationSettings } from "./settings.ts";

interface AuthenticationInput {
  readonly cwd: string;
  /** Returns the last value of an option. */
  readonly value: (option: "--auth" | "--password-file" | "--tls-client-ca") => string | undefined;
}

/** Authentications without further settings. */
const plainModes = ["none", "certificate", "kubernetes"] as const;

/** Reads the options for the authentication, with the problem of an invalid one. */
export function authenticationSettings({ cwd, value }: AuthenticationInput): {
  readonly authentication: AuthenticationSettings;
  readonly issues: readonly Issue[];
} {
  const hasAuthorities = value("--tls-client-ca") !== undefined;
  const mode = value("--auth") ?? (hasAuthorities ? "certificate" : "none");
  const file = value("--password-file");
  const invalid = (option: string, text: string, allowed: string) => ({
    authentication: { kind: "none" } as const,
    issues: [issue("SUBMIT_ERR_ARG_VALUE", { option, value: text, allowed })],
  });
  if (mode === "htpasswd" && file !== undefined)
    return { authentication: { kind: "htpasswd", passwordFile: resolve(cwd, file) }, issues: [] };
  if (mode === "htpasswd") return invalid("--auth", mode, "htpasswd with --password-file FILE, none");
  if (mode === "certificate" && !hasAuthorities)
    return invalid("--auth", mode, "certificate with --tls-client-ca FILE, none, htpasswd, kubernetes");
  const kind = plainModes.find((plain) => plain === mode);
  if (kind === undefined) return invalid("--auth", mode, "none, htpasswd, kubernetes, certificate");
  if (kind === "none" && hasAuthorities) return invalid("--auth", mode, "another mode with --tls-client-ca");
  if (file !== undefined) return invalid("--password-file", file, "a file with --auth htpasswd");
  return { authentication: { kind }, issues: [] };
}
