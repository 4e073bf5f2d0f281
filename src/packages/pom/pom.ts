import { messageOf } from "../../errors/message-of.ts";
import { childOf, childrenOf, childText, decodeXml, parseXml, type XmlElement } from "../../values/xml.ts";

/** A parsed POM, before replacement and inheritance. */
export interface Pom {
  readonly group: string | undefined;
  readonly artifact: string | undefined;
  readonly version: string | undefined;
  readonly packaging: string | undefined;
  readonly parent: PomReference | undefined;
  /** New coordinates of a relocated module: `distributionManagement/relocation`. */
  readonly relocation: Partial<PomReference> | undefined;
  readonly properties: readonly (readonly [string, string])[];
  readonly dependencies: readonly PomDependency[];
  readonly management: readonly PomDependency[];
  readonly profiles: readonly PomProfile[];
}

interface PomReference {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
}

/** A dependency, or an entry of `dependencyManagement`. */
export interface PomDependency {
  readonly group: string;
  readonly artifact: string;
  readonly version: string | undefined;
  readonly scope: string | undefined;
  readonly type: string | undefined;
  readonly classifier: string | undefined;
  readonly optional: string | undefined;
  readonly exclusions: readonly PomExclusion[];
}

export interface PomExclusion {
  readonly group: string;
  readonly artifact: string;
}

/** A profile, and the conditions of its activation. */
export interface PomProfile {
  readonly activeByDefault: boolean;
  /** `!name`: active without the property; `!value`: active with another value. */
  readonly property: { readonly name: string; readonly value: string | undefined } | undefined;
  /** A Java version, the beginning of one, or a range; `!` negates it. */
  readonly jdk: string | undefined;
  readonly properties: Pom["properties"];
  readonly dependencies: readonly PomDependency[];
  readonly management: readonly PomDependency[];
}

/** Reason why a POM is unusable. Dependents see the module as unavailable. */
export class PomProblem extends Error {}

/** Parses a POM. @throws PomProblem for invalid XML or another document */
export function parsePom(content: Uint8Array): Pom {
  const project = parseProject(content);
  const parent = childOf(project, "parent");
  const relocation = childOf(childOf(project, "distributionManagement"), "relocation");
  return {
    ...referenceIn(project),
    packaging: childText(project, "packaging"),
    parent: parent === undefined ? undefined : completeReference(parent),
    relocation: relocation === undefined ? undefined : definedOf(referenceIn(relocation)),
    ...contentOf(project),
    profiles: childrenOf(project, "profiles", "profile").map(profileOf),
  };
}

function parseProject(content: Uint8Array): XmlElement {
  let root: XmlElement;
  try {
    root = parseXml(decodeXml(content));
  } catch (error) {
    throw new PomProblem(`its POM is not XML: ${messageOf(error)}`);
  }
  if (root.name !== "project") throw new PomProblem(`its POM has the root element ${root.name} instead of project`);
  return root;
}

function contentOf(element: XmlElement): Pick<Pom, "properties" | "dependencies" | "management"> {
  return {
    properties: (childOf(element, "properties")?.children ?? []).map(({ name, text }) => [name, text] as const),
    dependencies: childrenOf(element, "dependencies", "dependency").map(dependencyOf),
    management: childrenOf(childOf(element, "dependencyManagement"), "dependencies", "dependency").map(dependencyOf),
  };
}

function profileOf(element: XmlElement): PomProfile {
  const activation = childOf(element, "activation");
  const property = childOf(activation, "property");
  return {
    activeByDefault: childText(activation, "activeByDefault")?.toLowerCase() === "true",
    property:
      property === undefined
        ? undefined
        : { name: childText(property, "name") ?? "", value: childText(property, "value") },
    jdk: childText(activation, "jdk"),
    ...contentOf(element),
  };
}

function dependencyOf(element: XmlElement): PomDependency {
  const { group, artifact, version } = referenceIn(element);
  return {
    group: group ?? "",
    artifact: artifact ?? "",
    version,
    scope: childText(element, "scope"),
    type: childText(element, "type"),
    classifier: childText(element, "classifier"),
    optional: childText(element, "optional"),
    exclusions: childrenOf(element, "exclusions", "exclusion").map((exclusion) => ({
      group: childText(exclusion, "groupId") ?? "",
      artifact: childText(exclusion, "artifactId") ?? "",
    })),
  };
}

function referenceIn(element: XmlElement): Pick<Pom, "group" | "artifact" | "version"> {
  return {
    group: childText(element, "groupId"),
    artifact: childText(element, "artifactId"),
    version: childText(element, "version"),
  };
}

function completeReference(element: XmlElement): PomReference {
  const { group = "", artifact = "", version = "" } = referenceIn(element);
  return { group, artifact, version };
}

function definedOf(reference: Pick<Pom, "group" | "artifact" | "version">): Partial<PomReference> {
  const { group, artifact, version } = reference;
  return {
    ...(group === undefined ? {} : { group }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(version === undefined ? {} : { version }),
  };
}
