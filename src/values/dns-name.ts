const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const subdomain = new RegExp(`^${label}(?:\\.${label})*$`);
const longest = 253;

/** True for what most objects may be called: `pi-1.driver`, but not `a..b`. Source: Kubernetes, "Object Names and IDs". */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= longest && subdomain.test(text);
}
