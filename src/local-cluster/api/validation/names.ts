import { type FieldError, invalidValue, required } from "./field-error.ts";

/**
 * A check of names that returns Kubernetes' messages; empty if the name is valid.
 *
 * Source: Kubernetes 1.35, names (RFC 1123, RFC 1035).
 */
export type NameRule = (name: string) => readonly string[];

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  `an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`;

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  `an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;

const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with " +
  "an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const qualifiedText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
  "regex used for validation is '[-._a-zA-Z0-9]+')";

const subdomainShape = new RegExp(`^${label}(\\.${label})*$`);
const labelShape = new RegExp(`^${label}$`);

/** Format of most names: RFC 1123 subdomain. */
export const subdomain: NameRule = (name) => shape(name, { limit: 253, pattern: subdomainShape, text: subdomainText });

/** Format of container and namespace names: RFC 1123 label. */
export const dnsLabel: NameRule = (name) => {
  const isSubdomain = name.includes(".") && subdomainShape.test(name);
  return shape(name, {
    limit: 63,
    pattern: labelShape,
    text: isSubdomain ? "must not contain dots" : labelText,
  });
};

/** Format of service names: RFC 1035 label. */
export const dns1035Label: NameRule = (name) =>
  shape(name, { limit: 63, pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/, text: label1035Text });

/** Format of names in paths: roles, events. */
export const pathSegment: NameRule = (name) => {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
};

/** Format of keys of ConfigMaps and Secrets. */
export const configKey: NameRule = (key) => [
  ...shape(key, { limit: 253, pattern: /^[-._a-zA-Z0-9]+$/, text: configKeyText }),
  ...(key === "." ? ["must not be '.'"] : []),
  ...(key === ".." ? ["must not be '..'"] : key.startsWith("..") ? ["must not start with '..'"] : []),
];

/** Format of keys of labels and annotations, and of names of finalizers and resources: an optional prefix and a name. */
export const qualifiedName: NameRule = (key) => {
  const parts = key.split("/");
  const [first = "", second] = parts;
  const faults: string[] = [];
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (second !== undefined) {
    if (first === "") faults.push("prefix part must be non-empty");
    else {
      const limits = first.length > 253 ? ["must be no more than 253 bytes"] : [];
      const shapes = subdomainShape.test(first) ? [] : [subdomainText];
      faults.push(...[...limits, ...shapes].map((fault) => `prefix part ${fault}`));
    }
  }
  const name = second ?? first;
  if (name === "") faults.push("name part must be non-empty");
  else if (Buffer.byteLength(name) > 63) faults.push("name part must be no more than 63 bytes");
  if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) faults.push(`name part ${qualifiedText}`);
  return faults;
};

/** Format of label values. */
export const labelValue: NameRule = (value) => [
  ...(Buffer.byteLength(value) > 63 ? ["must be no more than 63 bytes"] : []),
  ...(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value) ? [] : [labelValueText]),
];

/** Format of container port names and a service's target port (IANA service names). */
export const portName: NameRule = (name) => [
  ...(name.length > 15 ? ["must be no more than 15 characters"] : []),
  ...(/^[-a-z0-9]+$/.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
  ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
  ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
  ...(name.startsWith("-") || name.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
];

function shape(name: string, { limit, pattern, text }: { limit: number; pattern: RegExp; text: string }): string[] {
  return [
    ...([...name].length > limit ? [`must be no more than ${limit} characters`] : []),
    ...(pattern.test(name) ? [] : [text]),
  ];
}

/** Returns the errors of a path with a domain, such as `example.com/queue`. */
export function domainPrefixedPathErrors(path: string, field: string): FieldError[] {
  if (path === "") return [required(field)];
  const separator = path.indexOf("/");
  const [host, rest] = [path.slice(0, Math.max(0, separator)), path.slice(separator + 1)];
  if (host === "" || rest === "")
    return [invalidValue(field, path, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const shapeText = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return [
    ...subdomain(host).map((fault) => invalidValue(field, host, fault)),
    ...(/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest) ? [] : [invalidValue(field, rest, shapeText)]),
  ];
}
