import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

/** Codes about Maven packages: coordinates, repositories, Ivy and Maven settings, lock files. */
export const packageCodes = {
  SUBMIT_ERR_PACKAGE_COORDINATE: define<{ coordinate: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ coordinate }) =>
      `requirement failed: Provided Maven Coordinates must be in the form 'groupId:artifactId:version'. The coordinate provided is: ${coordinate}`,
  }),
  SUBMIT_ERR_PACKAGE_PART_BLANK: define<{ name: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ name, value }) =>
      `requirement failed: The ${name} cannot be null or be whitespace. The ${name} provided is: ${value}`,
  }),
  SUBMIT_ERR_PACKAGE_EXCLUSION: define<{ exclusion: string }>({
    kind: "setting",
    text: ({ exclusion }) => `Invalid package exclusion "${exclusion}": it does not have the form groupId:artifactId.`,
    hint: () => "Write groupId:artifactId; each part can contain *.",
  }),
  SUBMIT_ERR_IVY_SETTINGS: define<{ path: string; reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ path, reason }) => `requirement failed: Ivy settings file ${path} ${reason}`,
  }),
  SUBMIT_ERR_IVY_SETTINGS_SCHEME: define<{ scheme: string; key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ scheme, key }) => `Scheme ${scheme} not supported in ${key}`,
    hint: ({ key }) => `Set ${key} to a file on this machine.`,
  }),
  SUBMIT_ERR_MAVEN_SETTINGS: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `Cannot parse the Maven settings ${path}: the file is not valid XML: ${reason}`,
    hint: () => "Correct the file, or move it away: without it, repositories have no mirrors, credentials or proxies.",
  }),
  SUBMIT_ERR_PACKAGE_REPOSITORY_URL: define<{ name: string; url: string }>({
    kind: "setting",
    text: ({ name, url }) => `Invalid URL of the repository ${name}: ${url}`,
    hint: () => "Write https://…, http://… or file:/….",
  }),
  SUBMIT_ERR_PACKAGE_UNRESOLVED: define<{ problems: readonly string[] }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.lang.RuntimeException",
    text: ({ problems }) => `[${problems.join(", ")}]`,
    hint: () =>
      "Check groupId, artifactId (with the Scala version at its end) and version against the repository, or add a repository with --repositories.",
  }),
  SUBMIT_ERR_PACKAGE_LIMIT: define<{ what: string }>({
    kind: "dependency",
    text: ({ what }) => `The packages need ${what}, more than any known package.`,
    hint: () =>
      "A repository may generate them without end: check the repositories of --repositories and Maven's settings.xml. Exclude dependencies with --exclude-packages.",
  }),
  SUBMIT_ERR_PACKAGE_DIGEST: define<{ file: string; expected: string; found: string }>({
    kind: "dependency",
    text: ({ file, expected, found }) =>
      `${file} does not match the lock file: its SHA-256 is ${found}, but the lock file has ${expected}.`,
    hint: () =>
      "Find out who changed the released version before you use it. To accept the new file, delete the lock file and resolve again.",
  }),
  SUBMIT_ERR_PACKAGE_LOCK: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `Cannot use the lock file ${path}: ${reason}.`,
    hint: ({ path }) => `To write a new lock file, run firesteel packages lock --lock ${path} with the coordinates.`,
  }),
  SUBMIT_ERR_PACKAGE_NAME: define<{ name: string }>({
    kind: "dependency",
    text: ({ name }) =>
      name.length > 100
        ? `Invalid part of a package coordinate: ${JSON.stringify(name.slice(0, 100))}… has ${name.length} characters, more than a file name.`
        : `Invalid part of a package coordinate: ${JSON.stringify(name)} cannot be part of a file name.`,
    hint: () => "Correct --packages. If the name comes from the POM of a dependency, do not trust that dependency.",
  }),
  SUBMIT_ERR_PACKAGE_REPOSITORY: define<{ name: string; url: string; reason: string; advice?: string }>({
    kind: "unreachable",
    text: ({ name, url, reason }) => `Cannot download from the repository ${name} (${url}): ${reason}.`,
    hint: ({ advice }) =>
      advice ??
      "Try again later, configure a mirror in Maven's settings.xml or in DEFAULT_ARTIFACT_REPOSITORY, or use cached files with --offline.",
  }),
};
