import { nearestName } from "../conf/nearest-name.ts";

/** Masters by the name that they begin with. */
const masters: Readonly<Record<string, string>> = {
  spark: "spark://HOST:PORT",
  k8s: "k8s://https://HOST:PORT",
  kubernetes: "k8s://https://HOST:PORT",
  embedded: "k8s://embedded",
  local: "local",
  yarn: "yarn",
};

/** Returns the master that a misspelled one means. Hosts and ports are placeholders, because an address can contain a password. */
export function nearestMaster(text: string): string | undefined {
  const [, name = "", rest = ""] = /^([^:/[]*)[:/]*(.*)$/s.exec(text) ?? [];
  const known = nearestName(name, Object.keys(masters));
  const master = known === undefined ? undefined : masters[known];
  if (master === "local" && /^\[[\d*,]+\]$/.test(rest)) return `local${rest}`;
  return master === masters["k8s"] && isNearEmbedded(rest) ? masters["embedded"] : master;
}

/** Returns whether a host seems to be a misspelled `embedded`. */
export function isNearEmbedded(host: string): boolean {
  return nearestName(host, ["embedded"]) !== undefined;
}
