/** Ports that an option allows; 0 is any free one. */
export const portRange = "a number from 0 to 65535";

/** Returns the port in a text; `undefined` if it has none. */
export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : undefined;
}
