import type { ArtifactName } from "./module-descriptor.ts";
import type { ModuleRevision } from "./module-revision.ts";

/** Where a Maven repository has a module's revision: `org/apache/spark/spark-avro_2.13/4.0.1/`. */
function folderOf({ group, artifact, version }: ModuleRevision): string {
  return `${group.replaceAll(".", "/")}/${artifact}/${version}`;
}

/** Where a Maven repository has a POM. */
export function pomPath(id: ModuleRevision, fileVersion = id.version): string {
  return `${folderOf(id)}/${id.artifact}-${fileVersion}.pom`;
}

/** Where a Maven repository has a file of a module. */
export function artifactPath(
  id: ModuleRevision,
  { name, extension, classifier }: ArtifactName,
  fileVersion = id.version,
): string {
  const suffix = classifier === undefined ? "" : `-${classifier}`;
  return `${folderOf(id)}/${name}-${fileVersion}${suffix}.${extension}`;
}

/** Where a Maven repository tells which versions there are. */
export function metadataPath({ group, artifact }: Omit<ModuleRevision, "version">): string {
  return `${group.replaceAll(".", "/")}/${artifact}/maven-metadata.xml`;
}

/** Where a Maven repository tells which builds of a snapshot there are. */
export function snapshotMetadataPath(id: ModuleRevision): string {
  return `${folderOf(id)}/maven-metadata.xml`;
}

/** What Spark calls the file of a module: `org.apache.spark_spark-avro_2.13-4.0.1.jar`. */
export function retrievedName(id: ModuleRevision, { name, extension, classifier }: ArtifactName): string {
  const suffix = classifier === undefined ? "" : `-${classifier}`;
  return `${id.group}_${name}-${id.version}${suffix}.${extension}`;
}
