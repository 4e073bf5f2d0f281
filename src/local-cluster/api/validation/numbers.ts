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
