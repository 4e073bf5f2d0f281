import { ownMember } from "../../../values/own-member.ts";
import { isObject, isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "../validation/field-error.ts";
import { configKey } from "../validation/names.ts";
import type { Rules } from "./rules.ts";

type Data = Record<string, string>;
type ConfigMapObject = Draft & { data?: Data; binaryData?: Data; immutable?: boolean };
type SecretObject = Draft & { data?: Data; stringData?: Data; type?: string; immutable?: boolean };

const maxBytes = 1024 * 1024;

/** The rules of ConfigMaps. */
export const configMapRules: Rules<ConfigMapObject> = {
  validate: validateConfigMap,
  validateUpdate: (next, old) => [...immutableErrors(next, old, ["data", "binaryData"]), ...validateConfigMap(next)],
};

function validateConfigMap({ data = {}, binaryData = {} }: ConfigMapObject): FieldError[] {
  const size = sizeOf(data) + sizeOf(binaryData, true);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...configKey(key).map((fault) => invalidValue(`data[${key}]`, key, fault)),
      ...(Object.hasOwn(binaryData, key)
        ? [invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")]
        : []),
    ]),
    ...Object.keys(binaryData).flatMap((key) =>
      configKey(key).map((fault) => invalidValue(`binaryData[${key}]`, key, fault)),
    ),
    ...(size > maxBytes ? [tooLong("[]", maxBytes)] : []),
  ];
}

/** Keys that a secret of a type must have. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

/** The rules of Secrets. `stringData` is stored encoded in `data`. */
export const secretRules: Rules<SecretObject> = {
  fill(secret) {
    const { stringData } = secret;
    if (stringData !== undefined) {
      const encoded = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      const all: Data = { ...secret.data, ...Object.fromEntries(encoded) };
      secret.data = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
      delete secret.stringData;
    }
    secret.type ??= "Opaque";
  },
  prepareUpdate(secret, old) {
    if (secret.type === "") secret.type = old.type ?? "Opaque";
  },
  validate: validateSecret,
  validateUpdate: (next, old) => [
    ...(next.type === old.type ? [] : [invalidValue("type", next.type, "field is immutable")]),
    ...immutableErrors(next, old, ["data"]),
    ...validateSecret(next),
  ],
  warn: ({ type, data = {} }) => {
    const certificate = Buffer.from(data["tls.crt"] ?? "", "base64").toString("utf8");
    const lacksPem = type === "kubernetes.io/tls" && !certificate.includes("-----BEGIN ");
    return lacksPem ? ["tls: failed to find any PEM data in certificate input"] : [];
  },
  selectable: { type: ({ type }) => type ?? "" },
};

function validateSecret({ data = {}, type = "", metadata }: SecretObject): FieldError[] {
  const account = "kubernetes.io/service-account.name";
  return [
    ...Object.keys(data).flatMap((key) => configKey(key).map((fault) => invalidValue(`data[${key}]`, key, fault))),
    ...(sizeOf(data, true) > maxBytes ? [tooLong("data", maxBytes)] : []),
    ...(type === "kubernetes.io/service-account-token" && (metadata.annotations?.[account] ?? "") === ""
      ? [required(`metadata.annotations[${account}]`)]
      : []),
    ...(ownMember(secretKeys, type) ?? []).flatMap((key) =>
      data[key] === undefined ? [required(`data[${key}]`)] : [],
    ),
    ...dockerErrors(type, data),
    ...(type === "kubernetes.io/basic-auth" && data["username"] === undefined && data["password"] === undefined
      ? [required("data[username]"), required("data[password]")]
      : []),
  ];
}

/** Checks that registry credentials are JSON, without quoting them. */
function dockerErrors(type: string, data: Data): FieldError[] {
  const [key] = type.startsWith("kubernetes.io/docker") ? (ownMember(secretKeys, type) ?? []) : [];
  const encoded = key === undefined ? undefined : data[key];
  if (encoded === undefined) return [];
  const fault = jsonFault(Buffer.from(encoded, "base64").toString("utf8"));
  return fault === undefined ? [] : [invalidValue(`data[${key}]`, "<secret contents redacted>", fault)];
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const first = text.trimStart().charAt(0);
    if (first === "") return "unexpected end of JSON input";
    const startsValue = /[[{"\d\-tfn]/.test(first);
    return startsValue ? "invalid JSON" : `invalid character '${first}' looking for beginning of value`;
  }
}

function sizeOf(data: Data, isEncoded = false): number {
  return Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text, isEncoded ? "base64" : "utf8"), 0);
}

/** Rejects changes of an immutable object. */
function immutableErrors(
  next: Draft & { immutable?: boolean },
  old: Draft & { immutable?: boolean },
  fields: readonly string[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const text = "field is immutable when `immutable` is set";
  return [
    ...(next.immutable === true ? [] : [forbiddenField("immutable", text)]),
    ...fields
      .filter((field) => !isSame(contentOf(next[field]), contentOf(old[field])))
      .map((field) => forbiddenField(field, text)),
  ];
}

function contentOf(value: unknown): unknown {
  return isObject(value) ? value : {};
}
