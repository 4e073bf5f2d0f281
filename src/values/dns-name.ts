const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const subdomain = new RegExp(`^${label}(?:\\.${label})*$`);
const longest = 253;
const oneLabel = new RegExp(`^${label}$`);
const longestLabel = 63;

/** True for what most objects may be called: `pi-1.driver`, but not `a..b`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= longest && subdomain.test(text);
}

/** True for what a namespace may be called: `team-1`, but not `team.1`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsLabel(text: string): boolean {
  return text.length <= longestLabel && oneLabel.test(text);
}
