/** A Kerberos principal, e.g. `ann@EXAMPLE.COM`, `hdfs/host1@EXAMPLE.COM`. */
interface Principal {
  /** `hdfs`, `host1`. */
  readonly components: readonly string[];
  readonly realm: string;
}

/**
 * Maps a principal to a short user name by the rules of `hadoop.security.auth_to_local`; `undefined` if no rule applies.
 *
 * Shape of the rules, separated by white space: `RULE:[n:text](pattern)s/pattern/text/g/L`, `DEFAULT`.
 * Source: Hadoop KerberosName.
 *
 * @param realm default realm of krb5.conf; `undefined` if unknown: then each realm is the default
 *
 * @throws Error if a rule is malformed
 */
export function shortUserName(principal: string, rules: string, realm: string | undefined): string | undefined {
  const parsed = parsePrincipal(principal);
  for (const rule of rules.split(/\s+(?=RULE:|DEFAULT\b)/)) {
    if (rule.trim() === "") continue;
    const name = applyRule(rule.trim(), parsed, realm);
    if (name !== undefined) return name;
  }
  return undefined;
}

function parsePrincipal(text: string): Principal {
  const [, name = text, realm = ""] = /^(.*?)(?:@([^@]*))?$/.exec(text) ?? [];
  return { components: name.split("/"), realm };
}

const rulePattern = /^RULE:\[(\d):([^\]]*)\](?:\((.*?)\))?(?:s\/([^/]*)\/([^/]*)\/(g)?)?(?:\/?(L))?$/;

function applyRule(rule: string, { components, realm }: Principal, defaultRealm: string | undefined) {
  if (rule === "DEFAULT") {
    const isOwn = realm === "" || defaultRealm === undefined || realm === defaultRealm;
    return isOwn && components.length <= 2 ? components[0] : undefined;
  }
  const parts = rulePattern.exec(rule);
  if (parts === null) throw new Error(`"${rule}" is not a rule of hadoop.security.auth_to_local`);
  const [, count, format = "", match, from, to = "", all, lowerCase] = parts;
  if (components.length !== Number(count)) return undefined;
  const written = format.replaceAll(/\$(\d)/g, (_, index) => (index === "0" ? realm : (components[index - 1] ?? "")));
  if (match !== undefined && !new RegExp(`^(?:${match})$`).test(written)) return undefined;
  const replaced =
    from === undefined ? written : written.replace(new RegExp(from, all === undefined ? "" : "g"), () => to);
  return lowerCase === undefined ? replaced : replaced.toLowerCase();
}
