import type { Host } from "./host.ts";

/**
 * The same machine, but for what is given. What it looks up only when it is asked stays so: `{ ...host }` would look up the user, the
 * processors and the terminal at once, a tenth of a program's start.
 */
export function overrideHost(host: Host, changes: Partial<Host>): Host {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(host),
    ...Object.getOwnPropertyDescriptors(changes),
  });
}
