import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Host } from "../host/host.ts";
import { isObject } from "./api/json.ts";
import { type Certificate, createAuthority, newPrivateKey } from "./certificates/certificate.ts";
import type { Listening } from "./serve/listen.ts";

/** Identity of a cluster, which clients rely on after a restart. */
export interface ClusterIdentity {
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Signs the certificates of servers. */
  readonly authority: Certificate;
  /** Signs the tokens of service accounts. EC P-256. */
  readonly accountKey: KeyObject;
  /** Last address of the API; `undefined` for a new cluster. */
  readonly listening: Listening | undefined;
}

/** Age at which an authority is replaced; its certificate is valid for a year. */
const maxAuthorityMs = 300 * 24 * 3_600_000;

type Machine = Pick<Host, "files" | "clock" | "random">;

/** Creates the identity of a new cluster. */
export function newIdentity(machine: Pick<Machine, "clock" | "random">): ClusterIdentity {
  return {
    token: Buffer.from(machine.random.bytes(32)).toString("base64url"),
    authority: createAuthority(machine, "firesteel"),
    accountKey: newPrivateKey(),
    listening: undefined,
  };
}

/** Reads the identity from a file, or creates one if the file does not exist. */
export function readIdentity(machine: Machine, path: string): ClusterIdentity {
  const text = machine.files.readText(path);
  const kept: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isKept(kept)) return newIdentity(machine);
  const { token, authority, accountKey, listening } = kept;
  const isOld = machine.clock.now() - authority.created > maxAuthorityMs;
  const { certificate: certificatePem, key: privateKeyPem } = authority;
  return {
    ...{ token, listening, accountKey: createPrivateKey(accountKey) },
    authority: isOld
      ? createAuthority(machine, "firesteel")
      : { name: "firesteel", certificatePem, privateKeyPem, privateKey: createPrivateKey(privateKeyPem) },
  };
}

/** Writes an identity to a file that only its owner can read. */
export function writeIdentity({ files, clock }: Machine, path: string, identity: ClusterIdentity): void {
  const before: unknown = JSON.parse(files.readText(path) ?? "{}");
  const { certificatePem: certificate, privateKeyPem: key } = identity.authority;
  const isSame = isKept(before) && before.authority.certificate === certificate;
  const kept: KeptIdentity = {
    ...{ token: identity.token, listening: identity.listening },
    authority: { certificate, key, created: isSame ? before.authority.created : clock.now() },
    accountKey: String(identity.accountKey.export({ type: "pkcs8", format: "pem" })),
  };
  files.remove(`${path}.new`);
  files.write(`${path}.new`, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 });
  files.rename(`${path}.new`, path);
}

/** File format. Keys and certificates are PEM. */
interface KeptIdentity {
  readonly token: string;
  /** `created` in ms since 1970. */
  readonly authority: { readonly certificate: string; readonly key: string; readonly created: number };
  readonly accountKey: string;
  readonly listening: Listening | undefined;
}

function isKept(value: unknown): value is KeptIdentity {
  return isObject(value) && typeof value["token"] === "string" && isObject(value["authority"]);
}
