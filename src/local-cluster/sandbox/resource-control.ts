import type { ResourceBounds } from "./resource-bounds.ts";

/** Mechanism by which this machine enforces container limits. */
export interface ResourceControl {
  /**
   * `cgroups`: the kernel limits memory and CPUs. `watching`: a periodic check kills containers that use too much
   * memory.
   */
  readonly name: "cgroups" | "watching";
  /** Prepares a container that is about to start. */
  readonly confine: (bounds: ResourceBounds) => Confinement;
}

/** Limits applied to one container. */
export interface Confinement {
  /** Returns the command line that starts a command inside the confinement; it ends with the command itself. */
  readonly enter: (command: string, args: readonly string[]) => readonly [string, ...string[]];
  /** Called when the first process runs; all of the container's processes descend from it. */
  readonly onStarted: (pid: number) => void;
  /** Called when the container has ended. @returns whether any process was killed for memory. */
  readonly end: () => boolean;
}
