import { nearestName } from "../conf/nearest-name.ts";
import type { Host } from "../host/host.ts";
import { localZip, zipEntryNames } from "../host/zip-directory.ts";
import type { LogLine } from "../plan/log-line.ts";
import type { ApplicationRequest } from "../plan/submit-request.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";

/**
 * Builds the warning about a main class that is not in the application's jar on this machine, if the jar has a class of a similar name.
 * Without one, the class can be in another jar or in the image.
 */
export function mainClassLog(
  { files }: Pick<Host, "files">,
  { appResource, mainClass }: Pick<ApplicationRequest, "appResource" | "mainClass">,
): readonly LogLine[] {
  const location = parseDependencyUri(appResource.uri);
  if (appResource.kind !== "java" || location.kind !== "submitterLocal") return [];
  const classes = classesIn(files, location.path);
  if (classes.includes(mainClass)) return [];
  const nearest = nearestClass(mainClass, classes);
  if (nearest === undefined) return [];
  const text = `The class ${mainClass} (--class) is not in ${location.path}. Did you mean ${nearest}?`;
  return [{ level: "WARN", logger: "SparkSubmit", text }];
}

function classesIn(files: Host["files"], path: string): readonly string[] {
  return entryNames(files, path)
    .filter((name) => name.endsWith(".class"))
    .map((name) => name.slice(0, -".class".length).replaceAll("/", "."));
}

/** Returns no names for a file that cannot be read: the submission reports that. */
function entryNames(files: Host["files"], path: string): readonly string[] {
  try {
    const zip = localZip(files, path);
    return zip === undefined ? [] : [...zipEntryNames(zip)];
  } catch {
    return [];
  }
}

/**
 * Prefers a class of the same name in another package, then one of a similar name. Without a package, only the last part of the name
 * counts. Skips nested classes, whose names have a `$`.
 */
function nearestClass(mainClass: string, classes: readonly string[]): string | undefined {
  const outer = classes.filter((name) => !name.includes("$"));
  const simpleName = simpleNameOf(mainClass);
  const namesakes = outer.filter((name) => simpleNameOf(name).toLowerCase() === simpleName.toLowerCase());
  return (
    nearestName(mainClass, namesakes) ??
    namesakes[0] ??
    nearestName(mainClass, outer) ??
    classWithSimpleName(nearestName(simpleName, outer.map(simpleNameOf)), outer)
  );
}

function classWithSimpleName(simpleName: string | undefined, classes: readonly string[]): string | undefined {
  return simpleName === undefined ? undefined : classes.find((name) => simpleNameOf(name) === simpleName);
}

function simpleNameOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
