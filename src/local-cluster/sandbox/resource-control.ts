import type { ResourceBounds } from "./resource-bounds.ts";

/** How this machine holds containers to their bounds. */
export interface ResourceControl {
  /** `cgroups`: the kernel holds memory and CPUs. `watching`: what uses too much memory is found and killed. */
  readonly name: "cgroups" | "watching";
  /** For a container that is about to start. */
  readonly confine: (bounds: ResourceBounds) => Confinement;
}

/** The hold on one container. */
export interface Confinement {
  /** The words that start a command inside of it, and end with the command's own. */
  readonly enter: (command: string, args: readonly string[]) => readonly [string, ...string[]];
  /** Its first process runs, with all others below it. */
  readonly onStarted: (pid: number) => void;
  /** All of it ended. @returns whether that, or a part of it, was for want of memory. */
  readonly end: () => boolean;
}
