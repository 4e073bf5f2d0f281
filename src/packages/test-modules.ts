/**
 * Files of a Maven repository for modules of the group `g`, from a line each: `x:1 -> a:1, managed f:1, b:1 runtime -g:f`.
 *
 * Words after a module are its scope, `optional`, an exclusion (`-group:artifact`) or a classifier (`=name`); `managed` before it
 * puts it into `dependencyManagement`.
 */
export function modulesFrom(directory: string, lines: readonly string[]): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const line of lines) {
    const [name = "", needs = ""] = line.split("->").map((part) => part.trim());
    const [artifact = "", version = ""] = name.split(":");
    const basePath = `${directory}/g/${artifact}/${version}/${artifact}-${version}`;
    const entries = needs.split(",").map((need) => need.trim());
    const managed = entries.filter((need) => need.startsWith("managed ")).map((need) => need.slice(8));
    const direct = entries.filter((need) => need !== "" && !need.startsWith("managed "));
    files[`${basePath}.pom`] =
      `<project>${referenceXml(name)}<dependencyManagement>${listXml(managed)}</dependencyManagement>${listXml(direct)}</project>`;
    files[`${basePath}.jar`] = `jar of ${name}`;
  }
  return files;
}

function listXml(needs: readonly string[]): string {
  return `<dependencies>${needs.map(needXml).join("")}</dependencies>`;
}

function needXml(need: string): string {
  const [name = "", ...attributes] = need.split(" ");
  return `<dependency>${referenceXml(name)}${attributes.map(attributeXml).join("")}</dependency>`;
}

function attributeXml(attribute: string): string {
  if (attribute === "optional") return "<optional>true</optional>";
  if (attribute.startsWith("=")) return `<classifier>${attribute.slice(1)}</classifier>`;
  if (!attribute.startsWith("-")) return `<scope>${attribute}</scope>`;
  const [group, artifact] = attribute.slice(1).split(":");
  return `<exclusions><exclusion><groupId>${group}</groupId><artifactId>${artifact}</artifactId></exclusion></exclusions>`;
}

function referenceXml(name: string): string {
  const [artifact, version] = name.split(":");
  const versionXml = version === undefined ? "" : `<version>${version}</version>`;
  return `<groupId>g</groupId><artifactId>${artifact}</artifactId>${versionXml}`;
}
