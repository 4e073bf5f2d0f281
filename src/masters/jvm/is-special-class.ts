import { specialClasses } from "../../plan/special-classes.ts";

const names: ReadonlySet<string> = new Set(Object.values(specialClasses));

/** Whether a class is that of a shell or a server, which Spark rejects in cluster mode. */
export function isSpecialClass(mainClass: string | undefined): boolean {
  return mainClass !== undefined && names.has(mainClass);
}
