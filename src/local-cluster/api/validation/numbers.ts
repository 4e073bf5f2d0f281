import { isIP } from "node:net";

/** What is wrong with a port number, in Kubernetes' words. */
export function portFault(port: number): string | undefined {
  return port >= 1 && port <= 65_535 ? undefined : "must be between 1 and 65535, inclusive";
}

/** What is wrong with an IP address. */
export function ipFault(address: string): string | undefined {
  return isIP(address) === 0 ? "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" : undefined;
}

/** What is wrong with an amount that may be nothing. */
export function negativeFault(amount: number): string | undefined {
  return amount < 0 ? "must be greater than or equal to 0" : undefined;
}

/** What is wrong with a range of IP addresses. */
export function cidrFault(range: string): string | undefined {
  const [address = "", bits = ""] = range.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  const isRange = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  return isRange ? undefined : "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
}

/** What is wrong with a number, or a percentage of one. */
export function shareFault(value: number | string): string | undefined {
  if (typeof value === "number") return negativeFault(value);
  if (/^[0-9]+%$/.test(value)) return undefined;
  return (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation " +
    "is '[0-9]+%')"
  );
}

/** Whether a value is a percentage of more than all. */
export function isTooMuch(value: number | string): boolean {
  return typeof value === "string" && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100;
}
