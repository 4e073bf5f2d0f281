import { isFields } from "../values/fields.ts";
import { type Digest, isDigest } from "./bundle.ts";

/**
 * A JSON object whose members are read by name. A missing or invalid member adds a problem and reads as an empty value of
 * its type, so that one run reports all problems.
 */
export interface JsonObject {
  readonly text: (key: string, isRight?: (text: string) => boolean, rule?: string) => string;
  /** A whole number. */
  readonly number: (key: string, least: number, most?: number) => number;
  readonly flag: (key: string) => boolean;
  readonly digest: (key: string) => Digest;
  readonly choice: <T extends string>(key: string, choices: readonly [T, ...T[]]) => T;
  readonly object: (key: string) => JsonObject;
  readonly objects: (key: string) => readonly JsonObject[];
  readonly texts: (key: string) => readonly string[];
  readonly has: (key: string) => boolean;
  /** The member alone in an object, or an empty one. */
  readonly optionalText: <K extends string>(key: K) => Partial<Record<K, string>>;
  readonly optionalNumber: <K extends string>(key: K, least: number) => Partial<Record<K, number>>;
  readonly optionalFlag: <K extends string>(key: K) => Partial<Record<K, boolean>>;
  readonly optionalDigest: <K extends string>(key: K) => Partial<Record<K, Digest>>;
  /** Reports every member that was not read. */
  readonly refuseOthers: () => void;
}

const noDigest: Digest = `sha256:${"0".repeat(64)}`;

/** @param at where it is: `sources[0]`; empty for the whole */
export function jsonObject(value: unknown, at: string, problems: string[]): JsonObject {
  if (!isFields(value)) problems.push(`${at === "" ? "it" : at} is not an object`);
  const fields = isFields(value) ? value : {};
  const requested = new Set<string>();
  const pathOf = (key: string) => (at === "" ? key : `${at}.${key}`);
  const read = (key: string) => {
    requested.add(key);
    return Object.hasOwn(fields, key) ? fields[key] : undefined;
  };
  const reportInvalid = (key: string, rule: string) => {
    problems.push(read(key) === undefined ? `${pathOf(key)} is missing` : `${pathOf(key)} must be ${rule}`);
  };
  const object: JsonObject = {
    text(key, isRight = (text) => text !== "", rule = "a text") {
      const member = read(key);
      if (typeof member === "string" && isRight(member)) return member;
      reportInvalid(key, rule);
      return "";
    },
    number(key, least, most = Number.MAX_SAFE_INTEGER) {
      const member = read(key);
      if (typeof member === "number" && Number.isSafeInteger(member) && member >= least && member <= most)
        return member;
      reportInvalid(key, `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}`);
      return 0;
    },
    flag(key) {
      const member = read(key);
      if (typeof member !== "boolean") reportInvalid(key, "true or false");
      return member === true;
    },
    digest(key) {
      const member = read(key);
      if (typeof member === "string" && isDigest(member)) return member;
      reportInvalid(key, "sha256: and 64 hex digits");
      return noDigest;
    },
    choice(key, choices) {
      const member = read(key);
      const found = choices.find((choice) => choice === member);
      if (found === undefined) reportInvalid(key, `one of ${choices.join(", ")}`);
      return found ?? choices[0];
    },
    has: (key) => read(key) !== undefined,
    object: (key) => jsonObject(read(key), pathOf(key), problems),
    texts(key) {
      const member = read(key);
      if (Array.isArray(member) && member.every((item) => typeof item === "string")) return member;
      reportInvalid(key, "a list of texts");
      return [];
    },
    objects(key) {
      const member = read(key);
      if (Array.isArray(member))
        return member.map((item, index) => jsonObject(item, `${pathOf(key)}[${index}]`, problems));
      reportInvalid(key, "a list");
      return [];
    },
    optionalText: (key) => (read(key) === undefined ? {} : only(key, object.text(key))),
    optionalNumber: (key, least) => (read(key) === undefined ? {} : only(key, object.number(key, least))),
    optionalFlag: (key) => (read(key) === undefined ? {} : only(key, object.flag(key))),
    optionalDigest: (key) => (read(key) === undefined ? {} : only(key, object.digest(key))),
    refuseOthers() {
      for (const key of Object.keys(fields)) if (!requested.has(key)) problems.push(`${pathOf(key)} is unknown`);
    },
  };
  return object;
}

function only<K extends string, V>(key: K, value: V): Partial<Record<K, V>>;
function only<V>(key: string, value: V): Record<string, V> {
  return { [key]: value };
}
