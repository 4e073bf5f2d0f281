import { dirname, resolve } from "node:path";
import { nearestName } from "../../conf/nearest-name.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { messageOf } from "../../errors/message-of.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { draftPath } from "../../images/build-image.ts";
import { archiveFormats, type EngineName, engineNames, type ImageArchive } from "../../images/engine-commands.ts";
import { type ImageDefinition, imageDefinitions } from "../../images/image-definitions.ts";
import { registryOf, tagProblem } from "../../images/tag-problem.ts";
import type { ParsedOptions } from "../parsed-options.ts";
import { unknownChoice } from "../unknown-name.ts";

const values = ["--spark-version", "--spark-home", "--base", "--tag", "--engine", "--output"] as const;

/** Grammar of `firesteel image build`. */
export const buildGrammar = { flags: ["--push", "--json"], values, maxPositionals: imageDefinitions.length } as const;

export type BuildOptions = ParsedOptions<(typeof buildGrammar.flags)[number], (typeof values)[number]>;

/** Images, engine and file that the options select. */
export interface CheckedOptions {
  readonly definitions: readonly ImageDefinition[];
  readonly requestedEngine: EngineName | undefined;
  readonly archive: ImageArchive | undefined;
}

function nameMissing(known: readonly string[]): Issue {
  return issue("SUBMIT_ERR_ARGUMENT_MISSING", {
    ...{ command: "image build", what: "the name of an image", example: "spark-py" },
    allowed: `one or more of ${known.join(", ")}`,
  });
}

/** @throws SubmitError with all problems of the options */
export function checkBuildOptions(host: Host, options: BuildOptions): CheckedOptions {
  const names = [...new Set(options.positionals)];
  const issues: Issue[] = [];
  const known = imageDefinitions.map(({ name }) => name);
  if (names.length === 0) issues.push(nameMissing(known));
  for (const name of names.filter((name) => !known.includes(name)))
    issues.push(issue("SUBMIT_ERR_IMAGE_UNKNOWN", { name, known, nearest: nearestName(name, known) }));
  const definitions = imageDefinitions.filter(({ name }) => names.includes(name));
  issues.push(...unusedOptions(definitions, options));
  const single = (["--tag", "--base", "--output"] as const).filter((name) => options.value(name) !== undefined);
  if (names.length > 1 && single.length > 0) issues.push(issue("SUBMIT_ERR_IMAGE_SINGLE", { options: single, names }));
  const tag = options.value("--tag");
  const reason = tag === undefined ? undefined : tagProblem(tag);
  if (tag !== undefined && reason !== undefined) issues.push(issue("SUBMIT_ERR_IMAGE_TAG", { tag, reason }));
  if (options.has("--push") && (tag === undefined || registryOf(tag) === undefined))
    issues.push(issue("SUBMIT_ERR_IMAGE_REGISTRY", { names: tag === undefined ? names : [tag] }));
  const engine = options.value("--engine");
  const requestedEngine = engineNames.find((name) => name === engine);
  if (engine !== undefined && requestedEngine === undefined)
    issues.push(unknownChoice({ option: "--engine", value: engine, choices: engineNames }));
  const output = options.value("--output");
  const archive = output === undefined ? undefined : archiveOf(host, output);
  if (output !== undefined && archive === undefined)
    issues.push(issue("SUBMIT_ERR_IMAGE_OUTPUT", { text: output, formats: archiveFormats }));
  if (archive !== undefined) {
    const reason = fileProblem(host, archive.path);
    if (reason !== undefined) issues.push(issue("SUBMIT_ERR_IMAGE_OUTPUT_FILE", { path: archive.path, reason }));
  }
  throwIssues(issues);
  return { definitions, requestedEngine, archive };
}

/** Reports options of Spark's images if none of the images is one. */
function unusedOptions(definitions: readonly ImageDefinition[], options: BuildOptions): readonly Issue[] {
  if (definitions.length === 0 || definitions.some(({ content }) => content === "spark")) return [];
  const unused = (["--spark-home", "--spark-version"] as const).filter((name) => options.value(name) !== undefined);
  const names = definitions.map(({ name }) => name);
  return unused.length === 0 ? [] : [issue("SUBMIT_ERR_IMAGE_OPTION_UNUSED", { options: unused, names })];
}

function archiveOf({ cwd }: Host, text: string): ImageArchive | undefined {
  const [, name, path = ""] = /^([a-z-]+):(.+)$/s.exec(text) ?? [];
  const format = archiveFormats.find((known) => known === name);
  return format === undefined ? undefined : { format, path: resolve(cwd, path) };
}

/** Returns why a file cannot be written. Checked before a build, which takes minutes. */
function fileProblem({ files, random }: Host, path: string): string | undefined {
  // Engines read `FORMAT:FILE:NAME`.
  if (path.includes(":")) return "engines take what follows a colon for the image's name";
  const directory = dirname(path);
  const draft = draftPath(path, random);
  try {
    const kind = files.info(path)?.kind;
    if (kind === "directory") return "it is a directory";
    if (kind !== undefined && kind !== "file") return "it is not a regular file";
    if (files.info(directory)?.kind !== "directory") return `there is no directory ${directory}`;
    files.write(draft, "", { mustCreate: true });
    files.remove(draft);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
