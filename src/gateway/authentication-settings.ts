import { resolve } from "node:path";
import type { Issue } from "../errors/issue.ts";
import { invalidOption } from "./invalid-option.ts";
import { type oidcOptions, oidcSettings, unusedOidcOptions } from "./oidc/oidc-settings.ts";
import type { AuthenticationSettings } from "./settings.ts";

interface AuthenticationInput {
  readonly cwd: string;
  /** Returns the last value of an option. */
  readonly value: (
    option: "--auth" | "--password-file" | "--tls-client-ca" | (typeof oidcOptions)[number],
  ) => string | undefined;
}

interface ReadAuthentication {
  readonly authentication: AuthenticationSettings;
  readonly issues: readonly Issue[];
}

/** Authentications without further settings. */
const plainModes = ["none", "certificate", "kubernetes"] as const;

/** Reads the options for the authentication, with the problems of invalid ones. */
export function authenticationSettings(input: AuthenticationInput): ReadAuthentication {
  if (input.value("--auth") !== "oidc") {
    const { authentication, issues } = localAuthentication(input);
    return { authentication, issues: [...issues, ...unusedOidcOptions(input)] };
  }
  const { settings, issues } = oidcSettings(input);
  const file = input.value("--password-file");
  return {
    authentication: settings === undefined ? { kind: "none" } : { kind: "oidc", ...settings },
    issues: [...issues, ...(file === undefined ? [] : [unusedPasswordFile(file)])],
  };
}

/** Reads the options for authentications other than OpenID Connect. */
function localAuthentication({ cwd, value }: AuthenticationInput): ReadAuthentication {
  const hasAuthorities = value("--tls-client-ca") !== undefined;
  const mode = value("--auth") ?? (hasAuthorities ? "certificate" : "none");
  const file = value("--password-file");
  const invalid = (option: string, text: string, allowed: string) => ({
    authentication: { kind: "none" } as const,
    issues: [invalidOption(option, text, allowed)],
  });
  if (mode === "htpasswd" && file !== undefined)
    return { authentication: { kind: "htpasswd", passwordFile: resolve(cwd, file) }, issues: [] };
  if (mode === "htpasswd") return invalid("--auth", mode, "htpasswd with --password-file FILE, none");
  if (mode === "certificate" && !hasAuthorities)
    return invalid("--auth", mode, "certificate with --tls-client-ca FILE, none, htpasswd, kubernetes, oidc");
  const kind = plainModes.find((plain) => plain === mode);
  if (kind === undefined) return invalid("--auth", mode, "none, htpasswd, kubernetes, certificate, oidc");
  if (kind === "none" && hasAuthorities) return invalid("--auth", mode, "another mode with --tls-client-ca");
  if (file !== undefined) return { authentication: { kind: "none" }, issues: [unusedPasswordFile(file)] };
  return { authentication: { kind }, issues: [] };
}

function unusedPasswordFile(file: string): Issue {
  return invalidOption("--password-file", file, "a file with --auth htpasswd");
}
