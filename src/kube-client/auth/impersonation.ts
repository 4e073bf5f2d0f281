import { submitError } from "../../errors/submit-error.ts";
import type { Impersonation } from "./account.ts";
import type { Entry } from "./kubeconfig-file.ts";

/** Headers that name the impersonated user. */
export interface ImpersonationHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly repeatedHeaders: Readonly<Record<string, readonly string[]>>;
}

/** Reads the user to impersonate from a kubeconfig. @throws SUBMIT_ERR_KUBE_CONFIG */
export function impersonationOf(entry: Entry): Impersonation | undefined {
  const user = entry.text("as") ?? "";
  const uid = entry.text("as-uid");
  const groups = texts(entry.value("as-groups"));
  const extra = Object.fromEntries(
    Object.entries(entry.child("as-user-extra") === undefined ? {} : fields(entry.value("as-user-extra"))).map(
      ([key, values]) => [key, texts(values)],
    ),
  );
  if (user !== "") return { user, uid, groups, extra };
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  const reason = `its user ${entry.name} has as-uid, as-groups or as-user-extra, but no as`;
  throw submitError("SUBMIT_ERR_KUBE_CONFIG", { path: entry.path, reason });
}

/** Builds impersonation headers. Percent-encodes keys of `extra` for header names. Source: Kubernetes, "User impersonation". */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): ImpersonationHeaders {
  const named = Object.entries(extra).map(
    ([key, values]) => [`impersonate-extra-${escapeName(key.toLowerCase())}`, values] as const,
  );
  return {
    headers: {
      "impersonate-user": asBytes(user),
      ...(uid === undefined || uid === "" ? {} : { "impersonate-uid": asBytes(uid) }),
    },
    repeatedHeaders: Object.fromEntries(
      [["impersonate-group", groups] as const, ...named]
        .filter(([, values]) => values.length > 0)
        .map(([name, values]) => [name, values.map(asBytes)]),
    ),
  };
}

// Kubernetes names are UTF-8. A header is written as bytes.
function asBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

// RFC 9110, 5.6.2: characters of a token. The percent sign is the escape character.
function escapeName(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      const isPlain = /^[!#$&'*+\-.^_`|~0-9a-z]$/.test(character);
      return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function fields(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
