import { isIP } from "node:net";

/** Returns Kubernetes' message about an invalid port number. */
export function portFault(port: number): string | undefined {
  return port >= 1 && port <= 65_535 ? undefined : "must be between 1 and 65535, inclusive";
}

/** Returns the message about an invalid IP address. */
export function ipFault(address: string): string | undefined {
  return isIP(address) === 0 ? "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" : undefined;
}

/** Returns the message about a negative amount. */
export function negativeFault(amount: number): string | undefined {
  return amount < 0 ? "must be greater than or equal to 0" : undefined;
}

/** Returns the message about an invalid CIDR range. */
export function cidrFault(range: string): string | undefined {
  const [address = "", bits = ""] = range.split("/");
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const isRange = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits;
  return isRange ? undefined : "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
}

/** Returns the message about an invalid number or percentage. */
export function percentageFault(value: number | string): string | undefined {
  if (typeof value === "number") return negativeFault(value);
  if (/^[0-9]+%$/.test(value)) return undefined;
  return (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation " +
    "is '[0-9]+%')"
  );
}

/** Whether a value is a percentage above 100%. */
export function exceedsAll(value: number | string): boolean {
  return typeof value === "string" && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100;
}
