import { messageOf } from "../errors/message-of.ts";
import { childOf, decodeXml, parseXml, type XmlElement } from "../values/xml.ts";
import { PomProblem } from "./pom/pom.ts";
import type { Repository } from "./repository.ts";

/**
 * Reads the `versioning` of a maven-metadata.xml. Returns `undefined` if the file or the element does not exist.
 *
 * @throws PomProblem for invalid XML
 */
export async function readVersioning(repository: Repository, path: string): Promise<XmlElement | undefined> {
  const content = await repository.read(path);
  if (content === undefined) return undefined;
  try {
    return childOf(parseXml(decodeXml(content)), "versioning");
  } catch (error) {
    throw new PomProblem(`${path} of ${repository.name} is not XML: ${messageOf(error)}`);
  }
}
