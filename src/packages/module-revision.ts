/** Module and its revision, in Maven's terms. Ivy calls the three organisation, module and revision. */
export interface ModuleRevision {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
}

/** Returns the key of a module of any revision: `group:artifact`. */
export function moduleKey({ group, artifact }: Omit<ModuleRevision, "version">): string {
  return `${group}:${artifact}`;
}

/** Prints a revision as users write it: `group:artifact:version`. */
export function printRevision({ group, artifact, version }: ModuleRevision): string {
  return `${group}:${artifact}:${version}`;
}

/** Formats a revision as in Ivy's messages: `group#artifact;version`. A missing version is `working@vm`. */
export function printIvyRevision({ group, artifact, version }: ModuleRevision): string {
  return `${group}#${artifact};${version === "" ? "working@vm" : version}`;
}

/** Whether both are the same revision of the same module. */
export function isSameRevision(one: ModuleRevision, other: ModuleRevision): boolean {
  return one.version === other.version && moduleKey(one) === moduleKey(other);
}
