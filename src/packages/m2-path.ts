import { submitError } from "../errors/submit-error.ts";
import type { ArtifactName } from "./module-descriptor.ts";
import type { ModuleRevision } from "./module-revision.ts";

/** Where a Maven repository has a module's revision: `org/apache/spark/spark-avro_2.13/4.0.1/`. */
function folderOf({ group, artifact, version }: ModuleRevision): string {
  return `${folderOfGroup(group)}/${nameIn(artifact)}/${nameIn(version)}`;
}

function folderOfGroup(group: string): string {
  return nameIn(group).replaceAll(".", "/");
}

/**
 * A part of a path. Descriptors of modules come from anywhere, and none of them may lead out of a repository or of the folder for
 * jars.
 *
 * @throws SUBMIT_ERR_PACKAGE_NAME
 */
function nameIn(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file has them in its name
  if (text === "." || text === ".." || /[/\\\u0000-\u001f]/.test(text))
    throw submitError("SUBMIT_ERR_PACKAGE_NAME", { name: text });
  return text;
}

/** Where a Maven repository has a POM. */
export function pomPath(id: ModuleRevision): string {
  return `${folderOf(id)}/${id.artifact}-${id.version}.pom`;
}

/** Where a Maven repository has a file of a module. */
export function artifactPath(id: ModuleRevision, { name, extension, classifier }: ArtifactName): string {
  const suffix = classifier === undefined ? "" : `-${classifier}`;
  return `${folderOf(id)}/${nameIn(`${name}-${id.version}${suffix}.${extension}`)}`;
}

/** Where a Maven repository tells which versions there are. */
export function metadataPath({ group, artifact }: Omit<ModuleRevision, "version">): string {
  return `${folderOfGroup(group)}/${nameIn(artifact)}/maven-metadata.xml`;
}

/** What Spark calls the file of a module: `org.apache.spark_spark-avro_2.13-4.0.1.jar`. */
export function retrievedName(id: ModuleRevision, { name, extension, classifier }: ArtifactName): string {
  const suffix = classifier === undefined ? "" : `-${classifier}`;
  return nameIn(`${id.group}_${name}-${id.version}${suffix}.${extension}`);
}
