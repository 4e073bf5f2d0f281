import { firesteelMounts } from "../conf/entries/firesteel.ts";
import { secretKeyRefs } from "../conf/entries/secrets.ts";
import { volumes } from "../conf/entries/volumes.ts";
import type { Role } from "../conf/entry.ts";
import type { Setting, SettingOrigin } from "../conf/setting.ts";
import { type Issue, issue } from "../errors/issue.ts";

/** Facts about the submitter's machine and the submission. */
export interface MountFacts {
  /** Returns the absolute path of a file or directory of this machine; `undefined` if it does not exist. */
  readonly locate: (path: string) => string | undefined;
  /** Whether pods can mount files of this machine: only on the embedded cluster. */
  readonly isEmbedded: boolean;
  /** Roles that run in pods. */
  readonly roles: readonly Role[];
}

/** Settings that mounts add, and the mounts that are invalid. */
interface MountPlan {
  readonly added: readonly Setting[];
  readonly issues: readonly Issue[];
}

/** A parsed mount. */
type Mount =
  | { readonly kind: "hostPath"; readonly source: string; readonly path: string; readonly isReadOnly: boolean }
  | {
      readonly kind: "persistentVolumeClaim";
      readonly source: string;
      readonly path: string;
      readonly isReadOnly: boolean;
    }
  | { readonly kind: "s3a"; readonly secret: string };

/**
 * Plans the volumes and the variables for `spark.firesteel.mounts`: `SOURCE[:PATH][:ro]`, `pvc:NAME:PATH[:ro]`, `s3a://BUCKET:SECRET`.
 *
 * Errors: SUBMIT_ERR_MOUNT, one for each invalid mount.
 */
export function planMounts(texts: readonly string[], facts: MountFacts): MountPlan {
  const issues: Issue[] = [];
  const mounts = texts.flatMap((text) => {
    const mount = parseMount(text, facts);
    if (typeof mount !== "string") return [mount];
    issues.push(issue("SUBMIT_ERR_MOUNT", { key: firesteelMounts.key, mount: text, reason: mount }));
    return [];
  });
  issues.push(...conflicts(mounts));
  const added = facts.roles.flatMap((role) => mounts.flatMap((mount, index) => settingsOf(mount, role, index)));
  return { added: [...new Map(added.map((setting) => [setting.key, setting])).values()], issues };
}

/** Returns the mount, or the reason why it is invalid. */
function parseMount(text: string, facts: MountFacts): Mount | string {
  if (text.startsWith("s3a://")) {
    const [, secret] = /^s3a:\/\/[^:/]+\/?:([^:/]+)$/.exec(text) ?? [];
    return secret === undefined ? "it does not have the form s3a://BUCKET:SECRET" : { kind: "s3a", secret };
  }
  const parts = text.split(":");
  const isReadOnly = parts.length > 1 && parts.at(-1) === "ro";
  const [first = "", ...rest] = isReadOnly ? parts.slice(0, -1) : parts;
  if (first === "pvc") {
    const [source = "", path = "", ...more] = rest;
    const isValid = source !== "" && path.startsWith("/") && more.length === 0;
    return isValid
      ? { kind: "persistentVolumeClaim", source, path, isReadOnly }
      : "it does not have the form pvc:NAME:/PATH";
  }
  return parseHostPath([first, ...rest], isReadOnly, facts);
}

function parseHostPath(
  [first = "", ...rest]: readonly string[],
  isReadOnly: boolean,
  facts: MountFacts,
): Mount | string {
  if (first === "" || rest.length > 1) return "it does not have the form SOURCE:/PATH";
  if (!facts.isEmbedded) return "only pods of the embedded cluster can mount files of this machine";
  const source = facts.locate(first);
  if (source === undefined) return `${first} does not exist`;
  const path = rest[0] ?? source;
  return path.startsWith("/")
    ? { kind: "hostPath", source, path, isReadOnly }
    : `the path ${path} in the pod is not absolute`;
}

function conflicts(mounts: readonly Mount[]): readonly Issue[] {
  const key = firesteelMounts.key;
  const secrets = new Set(mounts.flatMap((mount) => (mount.kind === "s3a" ? [mount.secret] : [])));
  const paths = mounts.flatMap((mount) => (mount.kind === "s3a" ? [] : [mount.path]));
  const repeated = new Set(paths.filter((path, index) => paths.indexOf(path) !== index));
  const reason = "the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY can come from one Secret only";
  return [
    ...(secrets.size > 1 ? [issue("SUBMIT_ERR_MOUNT", { key, mount: [...secrets].join(", "), reason })] : []),
    ...[...repeated].map((mount) => issue("SUBMIT_ERR_MOUNT", { key, mount, reason: "two mounts have this path" })),
  ];
}

/** Beginning of the names of volumes. */
export const mountVolumePrefix = "firesteel-mount-";

const origin: SettingOrigin = { kind: "client", why: "--mount" };

const sourceOptions = { hostPath: "path", persistentVolumeClaim: "claimName" } as const;

/** Variables with credentials, which are also the keys of the Secret. S3A and the AWS tools read them. */
const credentialVariables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

function settingsOf(mount: Mount, role: Role, index: number): readonly Setting[] {
  const setting = (key: string, value: string): Setting => ({ key, value, origin });
  if (mount.kind === "s3a") {
    const { prefix } = secretKeyRefs[role];
    return credentialVariables.map((name) => setting(`${prefix}${name}`, `${mount.secret}:${name}`));
  }
  const volume = `${volumes[role].prefix}${mount.kind}.${mountVolumePrefix}${index + 1}`;
  return [
    setting(`${volume}.mount.path`, mount.path),
    setting(`${volume}.mount.readOnly`, String(mount.isReadOnly)),
    setting(`${volume}.options.${sourceOptions[mount.kind]}`, mount.source),
  ];
}
