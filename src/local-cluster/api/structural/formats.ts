import { isIP, isIPv4, isIPv6 } from "node:net";

const uuid = (version: string) => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{12}$`, "i");

const day = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** Checks of the formats that Kubernetes 1.35 validates in custom resources, by name without dashes. */
const formats: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  bsonobjectid: /^[0-9a-f]{24}$/i,
  uri: (text) => /^([a-z][a-z0-9+.-]*:\S*|\/\S*)$/i.test(text),
  email: /^([^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/,
  hostname: (text) =>
    text.length <= 253 &&
    /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*\.?$/i.test(text),
  ipv4: (text) => isIPv4(text),
  ipv6: (text) => isIPv6(text),
  cidr: isCidr,
  mac: /^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4,18}[0-9a-f]{2}|([0-9a-f]{4}\.){2,9}[0-9a-f]{4})$/i,
  uuid: uuid("[0-9a-f]{4}-?[0-9a-f]{4}"),
  uuid3: uuid("3[0-9a-f]{3}-?[0-9a-f]{4}"),
  uuid4: uuid("4[0-9a-f]{3}-?[89ab][0-9a-f]{3}"),
  uuid5: uuid("5[0-9a-f]{3}-?[89ab][0-9a-f]{3}"),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: (text) => /^\d{13,16}$/.test(text.replace(/\D/g, "")),
  ssn: /^\d{3}[- ]?\d{2}[- ]?\d{4}$/,
  hexcolor: /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i,
  rgbcolor: /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/,
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  password: () => true,
  date: (text) => new RegExp(`^${day}$`).test(text) && !Number.isNaN(Date.parse(text)),
  duration: isDuration,
  datetime: new RegExp(`^${day}[tT]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([zZ]|[+-]\\d{2}:?\\d{2})?$`),
  k8sshortname: new RegExp(`^(?=.{1,63}$)${label}$`),
  k8slongname: new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`),
};

/** Returns the name of a format without dashes; `undefined` if Kubernetes does not validate it. */
export function knownFormat(format: string | undefined): string | undefined {
  const name = format?.replaceAll("-", "");
  return name !== undefined && Object.hasOwn(formats, name) ? name : undefined;
}

/** Whether a text has a format that `knownFormat` returned. */
export function isFormatted(format: string, text: string): boolean {
  const known = formats[format];
  if (known === undefined) return true;
  return typeof known === "function" ? known(text) : known.test(text);
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const version = isIP(address);
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (digit === "X" ? 10 : Number(digit)) * (index + 1),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isDuration(text: string): boolean {
  const isGo = /^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
  const units =
    "ns|nano|nanosecond|us|µs|micro|microsecond|ms|milli|millisecond|s|sec|second|m|min|minute|h|hr|hour|d|day|w|week|wk";
  return isGo || new RegExp(`^(\\d+(\\.\\d+)?\\s*(${units})s?\\s*)+$`).test(text.toLowerCase());
}
