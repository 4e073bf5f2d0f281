import { resolve } from "node:path";
import type { Issue } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";
import { loopback } from "../loopback.ts";

/** Settings of the authentication by OpenID Connect. Names and defaults are those of kube-apiserver, where it has the option. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** @default the client has no secret */
  readonly clientSecretFile: string | undefined;
  /** Audiences of bearer tokens, of which a token must have one. */
  readonly audiences: readonly string[];
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
  /** @default users have no groups */
  readonly groupsClaim: string | undefined;
  readonly groupsPrefix: string;
  /** Scopes that a login requests. */
  readonly scopes: readonly string[];
  /** File with the certificates of the issuer's authorities. @default those of the system */
  readonly authorityFile: string | undefined;
}

/** Options of the command line. */
export const oidcOptions = [
  ...(["--oidc-issuer-url", "--oidc-client-id", "--oidc-client-secret-file", "--oidc-audience"] as const),
  ...(["--oidc-username-claim", "--oidc-username-prefix", "--oidc-groups-claim", "--oidc-groups-prefix"] as const),
  ...(["--oidc-scopes", "--oidc-ca-file"] as const),
] as const;

interface OidcInput {
  readonly cwd: string;
  /** Returns the last value of an option. */
  readonly value: (option: (typeof oidcOptions)[number]) => string | undefined;
}

/** Reads the options; `undefined` with every problem. */
export function oidcSettings({ cwd, value }: OidcInput): {
  readonly settings: OidcSettings | undefined;
  readonly issues: readonly Issue[];
} {
  const issuer = value("--oidc-issuer-url") ?? "";
  const clientId = value("--oidc-client-id") ?? "";
  const issues = [
    ...(isIssuer(issuer)
      ? []
      : [invalidOption("--oidc-issuer-url", issuer, "an https URL without query, with --auth oidc")]),
    ...(clientId === "" ? [invalidOption("--oidc-client-id", clientId, "the ID of the client, with --auth oidc")] : []),
  ];
  if (issues.length > 0) return { settings: undefined, issues };
  const usernameClaim = value("--oidc-username-claim") ?? "sub";
  // Subjects are unique for an issuer only; addresses are unique without it.
  const defaultPrefix = usernameClaim === "email" ? "" : `${issuer}#`;
  const prefix = value("--oidc-username-prefix") ?? defaultPrefix;
  const audience = value("--oidc-audience");
  const path = (option: "--oidc-client-secret-file" | "--oidc-ca-file") => {
    const file = value(option);
    return file === undefined ? undefined : resolve(cwd, file);
  };
  return {
    settings: {
      ...{ issuer, clientId, clientSecretFile: path("--oidc-client-secret-file") },
      audiences: audience === undefined ? [clientId] : [clientId, audience],
      ...{ usernameClaim, usernamePrefix: prefix === "-" ? "" : prefix },
      ...{ groupsClaim: value("--oidc-groups-claim"), groupsPrefix: value("--oidc-groups-prefix") ?? "" },
      scopes: scopesOf(value("--oidc-scopes") ?? "profile,email"),
      authorityFile: path("--oidc-ca-file"),
    },
    issues: [],
  };
}

/** Returns the problems of options that another authentication does not use. */
export function unusedOidcOptions({ value }: Pick<OidcInput, "value">): readonly Issue[] {
  return oidcOptions.flatMap((option) => {
    const text = value(option);
    return text === undefined ? [] : [invalidOption(option, text, "a value with --auth oidc")];
  });
}

function scopesOf(text: string): readonly string[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== "");
  return [...new Set(["openid", ...names])];
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  const isProtected = protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
  return isProtected && search === "" && hash === "";
}
