import { isDynamic, isInSet } from "../ivy-version.ts";
import type { PomProfile } from "./pom.ts";
import type { PomProperties } from "./properties.ts";

/** The Java version of Spark's images, because no JVM is available. */
const javaVersion = "17.0.0";

const systemProperties: ReadonlyMap<string, string> = new Map([
  ["java.version", javaVersion],
  ["java.specification.version", "17"],
]);

/** Whether a profile is active in Ivy: by default, by a property or by the Java version, never by an operating system or a file. */
export function isActiveProfile(profile: PomProfile, properties: PomProperties): boolean {
  const { activeByDefault, property, jdk } = profile;
  if (activeByDefault) return true;
  if (jdk !== undefined && isJava(jdk)) return true;
  return property !== undefined && isProperty(property, properties);
}

function isJava(required: string): boolean {
  if (required.startsWith("!")) return !isJava(required.slice(1));
  return isDynamic(required) ? isInSet(required, javaVersion) : javaVersion.startsWith(required);
}

function isProperty({ name, value }: NonNullable<PomProfile["property"]>, properties: PomProperties): boolean {
  const known = (key: string) => properties.get(key) ?? systemProperties.get(key);
  if (name.startsWith("!")) return known(name.slice(1)) === undefined;
  const found = known(name);
  if (found === undefined || value === undefined) return found !== undefined;
  return value.startsWith("!") ? found !== value.slice(1) : found === value;
}
