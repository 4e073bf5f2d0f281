import { submitError } from "../errors/submit-error.ts";
import type { ArtifactName } from "./module-descriptor.ts";
import type { ModuleRevision } from "./module-revision.ts";

/** Maximum length of a file name. Source: NAME_MAX of Linux. */
const maxNameBytes = 255;

/** Returns the directory of a module's revision: `org/apache/spark/spark-avro_2.13/4.0.1/`. */
function directoryOf({ group, artifact, version }: ModuleRevision): string {
  return `${directoryOfGroup(group)}/${nameIn(artifact)}/${nameIn(version)}`;
}

function directoryOfGroup(group: string): string {
  return nameIn(group).replaceAll(".", "/");
}

/**
 * Checks a part of a path. Descriptors come from untrusted sources and must not lead out of a repository or of the
 * jar directory.
 *
 * @throws SUBMIT_ERR_PACKAGE_NAME
 */
function nameIn(text: string): string {
  if (Buffer.byteLength(text) > maxNameBytes) throw submitError("SUBMIT_ERR_PACKAGE_NAME", { name: text });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file has them in its name
  if (text === "." || text === ".." || /[/\\\u0000-\u001f]/.test(text))
    throw submitError("SUBMIT_ERR_PACKAGE_NAME", { name: text });
  return text;
}

/** Returns the path of a POM. */
export function pomPath(id: ModuleRevision): string {
  return `${directoryOf(id)}/${id.artifact}-${id.version}.pom`;
}

/** Returns the path of a module's file. */
export function artifactPath(id: ModuleRevision, { name, extension, classifier }: ArtifactName): string {
  const suffix = classifier === undefined ? "" : `-${classifier}`;
  return `${directoryOf(id)}/${nameIn(`${name}-${id.version}${suffix}.${extension}`)}`;
}

/** Returns the path of the file that lists the versions. */
export function metadataPath({ group, artifact }: Omit<ModuleRevision, "version">): string {
  return `${directoryOfGroup(group)}/${nameIn(artifact)}/maven-metadata.xml`;
}

/** Returns Spark's name for the file of a module: `org.apache.spark_spark-avro_2.13-4.0.1.jar`. */
export function retrievedName(id: ModuleRevision, { name, extension, classifier }: ArtifactName): string {
  const suffix = classifier === undefined ? "" : `-${classifier}`;
  return nameIn(`${id.group}_${name}-${id.version}${suffix}.${extension}`);
}
