import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { replaceFile } from "../host/replace-file.ts";
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

/** An identity, and notices for users about its file. */
interface ReadIdentity {
  readonly identity: ClusterIdentity;
  readonly notices: readonly string[];
}

/**
 * Reads the identity from a file, or creates one if the file does not exist.
 *
 * @param repairs whether to replace the identity if the file is damaged, and to keep that file as `<path>.damaged`
 * @throws SubmitError `SUBMIT_ERR_CLUSTER_STATE` for a damaged file, unless `repairs` is set
 */
export function readIdentity(machine: Machine, path: string, { repairs }: { readonly repairs: boolean }): ReadIdentity {
  try {
    const text = machine.files.readText(path);
    if (text === undefined) return { identity: newIdentity(machine), notices: [] };
    return { identity: parseIdentity(machine, text), notices: [] };
  } catch (cause) {
    const reason = `it has no valid identity (${messageOf(cause)})`;
    if (!repairs) throw submitError("SUBMIT_ERR_CLUSTER_STATE", { path, offset: 0, reason }, { cause });
    machine.files.rename(path, `${path}.damaged`);
    const notice = `${path} was damaged and is now ${path}.damaged: the cluster has new certificates and tokens.`;
    return { identity: newIdentity(machine), notices: [notice] };
  }
}

/** @throws Error if the text is not a complete identity */
function parseIdentity(machine: Machine, text: string): ClusterIdentity {
  const kept: unknown = JSON.parse(text);
  if (!isKept(kept)) throw new Error("the token, the authority or a key is missing");
  const { token, authority, accountKey, listening } = kept;
  const isOld = machine.clock.now() - authority.created > maxAuthorityMs;
  const { certificate: certificatePem, key: privateKeyPem } = authority;
  const privateKey = createPrivateKey(privateKeyPem);
  return {
    ...{ token, listening, accountKey: createPrivateKey(accountKey) },
    authority: isOld
      ? createAuthority(machine, "firesteel")
      : { name: "firesteel", certificatePem: checked(certificatePem), privateKeyPem, privateKey },
  };
}

/** @throws Error if the text is not a certificate */
function checked(certificatePem: string): string {
  return new X509Certificate(certificatePem) && certificatePem;
}

/** Writes an identity to a file that only its owner can read. */
export function writeIdentity(machine: Machine, path: string, identity: ClusterIdentity): void {
  const { files, clock } = machine;
  const before: unknown = JSON.parse(files.readText(path) ?? "{}");
  const { certificatePem: certificate, privateKeyPem: key } = identity.authority;
  const isSame = isKept(before) && before.authority.certificate === certificate;
  const kept: KeptIdentity = {
    ...{ token: identity.token, listening: identity.listening },
    authority: { certificate, key, created: isSame ? before.authority.created : clock.now() },
    accountKey: String(identity.accountKey.export({ type: "pkcs8", format: "pem" })),
  };
  replaceFile(machine, path, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 });
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
  if (!isObject(value) || !isObject(value["authority"])) return false;
  const { token, accountKey, listening, authority } = value;
  const texts = [token, accountKey, authority["certificate"], authority["key"]];
  const isAddress =
    isObject(listening) && typeof listening["address"] === "string" && typeof listening["port"] === "number";
  return (
    texts.every((text) => typeof text === "string" && text !== "") &&
    typeof authority["created"] === "number" &&
    (listening === undefined || isAddress)
  );
}
