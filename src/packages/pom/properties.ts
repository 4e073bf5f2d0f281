import { type Pom, PomProblem } from "./pom.ts";

/** Values of `${…}` in a POM. */
export type PomProperties = ReadonlyMap<string, string>;

const maxReplacements = 1000;
const maxReplacedLength = 64 * 1024;

/**
 * Replaces each known `${name}`, also within values. Keeps unknown and recursive ones.
 *
 * @throws PomProblem after too many replacements, or too long ones
 */
export function replaceProperties(text: string, properties: PomProperties): string {
  let replacements = 0;
  let replacedLength = 0;
  const replace = (part: string, within: readonly string[]): string => {
    if (!part.includes("${")) return part.trim();
    // No name follows the last brace. Searching there for each `${` would take quadratic time.
    const end = part.lastIndexOf("}") + 1;
    const replaced = part.slice(0, end).replace(/\$\{([^}]*)\}/g, (match, name: string) => {
      const value = properties.get(name);
      if (value === undefined || within.includes(name)) return match;
      replacements += 1;
      if (replacements > maxReplacements)
        throw new PomProblem(`the properties in ${text} need more than ${maxReplacements} replacements`);
      replacedLength += value.length;
      if (replacedLength > maxReplacedLength)
        throw new PomProblem(`the properties in ${text} have more than ${maxReplacedLength} characters`);
      return replace(value, [...within, name]);
    });
    return (replaced + part.slice(end)).trim();
  };
  return replace(text, []);
}

/** Returns the properties of a POM: its own, those of its coordinates, then the inherited ones. */
export function propertiesOf(pom: Pom, inherited: PomProperties): PomProperties {
  const found = new Map<string, string>();
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !found.has(name)) found.set(name, value);
  };
  for (const [name, value] of pom.properties) add(name, value);
  const group = pom.group ?? pom.parent?.group;
  const version = pom.version ?? pom.parent?.version;
  for (const prefix of ["project.", "pom.", ""]) {
    add(`${prefix}groupId`, group);
    add(`${prefix}artifactId`, pom.artifact);
    add(`${prefix}version`, version);
    add(`${prefix}packaging`, pom.packaging ?? "jar");
  }
  for (const prefix of ["project.parent.", "parent.", "pom.parent."]) {
    add(`${prefix}groupId`, pom.parent?.group);
    add(`${prefix}artifactId`, pom.parent?.artifact);
    add(`${prefix}version`, pom.parent?.version);
  }
  for (const [name, value] of inherited) add(name, value);
  return found;
}
