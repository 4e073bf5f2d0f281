import { dirname, resolve } from "node:path";
import { nearestName } from "../../conf/nearest-name.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { buildImage } from "../../images/build-image.ts";
import { archiveFormats, engineNames, type ImageArchive } from "../../images/engine-commands.ts";
import { findEngine } from "../../images/find-engine.ts";
import { type ImageDefinition, imageDefinitions } from "../../images/image-definitions.ts";
import { tagProblem } from "../../images/tag-problem.ts";
import { findSpark } from "../../spark/find-spark.ts";
import { matchesVersion, readSparkHome, type SparkHome } from "../../spark/spark-home.ts";
import { releaseOf } from "../embedded.ts";
import { exitCodes } from "../exit-codes.ts";
import { packageDirectory } from "../package-directory.ts";
import { parseOptions } from "../parse-options.ts";
import type { ParsedOptions } from "../parsed-options.ts";
import { selectCommand } from "../select-command.ts";
import { unknownChoice } from "../unknown-name.ts";
import { firesteelVersion } from "../version.ts";

const imageUsage = `Usage: firesteel image <command> [options]

Build the images that Firesteel and Spark need on a cluster, with Docker, Podman or Buildah.

  list [--json]      list the images that can be built
  build NAME…        build images

Options of build:
  --spark-version VERSION   Spark of the image: a release (4.3.0), or the newest release of a line (default: ${newestLine})
  --spark-home DIR          Spark distribution of the image, instead of a download
  --base IMAGE              image to build on: Debian or Ubuntu; for the others than Spark with Node 20.19 or newer
  --tag REPO/NAME:TAG       name of the image (default: NAME with the version of Spark or Firesteel)
  --engine ENGINE           docker, podman or buildah (default: the first that works)
  --push                    upload to the registry in the image's name
  --output FORMAT:FILE      also write a file: oci-archive:FILE or docker-archive:FILE
  --json                    JSON output

The engine's output goes to stderr, and the names of the images to stdout.
`;

const values = ["--spark-version", "--spark-home", "--base", "--tag", "--engine", "--output"] as const;

const grammar = { flags: ["--push", "--json"], values, maxPositionals: imageDefinitions.length } as const;

type BuildOptions = ParsedOptions<(typeof grammar.flags)[number], (typeof values)[number]>;

/** Runs `firesteel image`. @returns the exit code */
export async function runImageCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, {
    group: "image",
    usage: imageUsage,
    commands: ["list", "build"] as const,
  });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  return command === "list" ? list(host, rest) : await build(host, parseOptions(rest, grammar));
}

function list(host: Host, args: readonly string[]): number {
  const isJson = parseOptions(args, { flags: ["--json"], values: [], maxPositionals: 0 }).has("--json");
  const rows = imageDefinitions.map(({ name, summary }) => ({ name, summary }));
  const text = isJson
    ? JSON.stringify(rows, undefined, 2)
    : rows.map(({ name, summary }) => `${name.padEnd(22)} ${summary}`).join("\n");
  host.stdout.write(`${text}\n`);
  return 0;
}

async function build(host: Host, options: BuildOptions): Promise<number> {
  const { definitions, requestedEngine, archive } = checkOptions(host, options);
  const packageRoot = findPackage(host, definitions);
  const engine = await findEngine(host, requestedEngine);
  const spark = definitions.some(({ content }) => content === "spark") ? await sparkOf(host, options) : undefined;
  const built: { name: string; tag: string; engine: string }[] = [];
  for (const definition of definitions) {
    const content =
      spark !== undefined && definition.content === "spark" ? spark : { home: packageRoot, version: firesteelVersion };
    const tag = options.value("--tag") ?? `${definition.name}:${content.version}`;
    host.stderr.write(`Building ${tag} with ${engine}\n`);
    const interrupt = await buildImage(host, {
      ...{ definition, tag, engine, packageRoot, archive, version: content.version, content: content.home },
      ...{ base: options.value("--base"), isPushed: options.has("--push") },
    });
    if (interrupt !== undefined) return exitCodes[interrupt];
    built.push({ name: definition.name, tag, engine });
    if (!options.has("--json")) host.stdout.write(`${tag}\n`);
  }
  if (options.has("--json")) host.stdout.write(`${JSON.stringify(built, undefined, 2)}\n`);
  return 0;
}

/** @throws SubmitError with all problems of the options */
function checkOptions(host: Host, options: BuildOptions) {
  const names = [...new Set(options.positionals)];
  const issues: Issue[] = [];
  const known = imageDefinitions.map(({ name }) => name);
  if (names.length === 0) issues.push(nameMissing(known));
  for (const name of names.filter((name) => !known.includes(name)))
    issues.push(issue("SUBMIT_ERR_IMAGE_UNKNOWN", { name, known, nearest: nearestName(name, known) }));
  const single = (["--tag", "--base", "--output"] as const).filter((name) => options.value(name) !== undefined);
  if (names.length > 1 && single.length > 0) issues.push(issue("SUBMIT_ERR_IMAGE_SINGLE", { options: single, names }));
  const tag = options.value("--tag");
  const reason = tag === undefined ? undefined : tagProblem(tag);
  if (tag !== undefined && reason !== undefined) issues.push(issue("SUBMIT_ERR_IMAGE_TAG", { tag, reason }));
  const engine = options.value("--engine");
  const requestedEngine = engineNames.find((name) => name === engine);
  if (engine !== undefined && requestedEngine === undefined)
    issues.push(unknownChoice({ option: "--engine", value: engine, choices: engineNames }));
  const output = options.value("--output");
  const archive = output === undefined ? undefined : archiveOf(host, output);
  if (output !== undefined && archive === undefined)
    issues.push(issue("SUBMIT_ERR_IMAGE_OUTPUT", { text: output, formats: archiveFormats }));
  if (archive !== undefined) issues.push(...fileIssues(host, archive.path));
  throwIssues(issues);
  return { definitions: imageDefinitions.filter(({ name }) => names.includes(name)), requestedEngine, archive };
}

function nameMissing(known: readonly string[]): Issue {
  return issue("SUBMIT_ERR_ARGUMENT_MISSING", {
    ...{ command: "image build", what: "the name of an image", example: "spark-py" },
    allowed: `one or more of ${known.join(", ")}`,
  });
}

function archiveOf({ cwd }: Host, text: string): ImageArchive | undefined {
  const [, name, path = ""] = /^([a-z-]+):(.+)$/s.exec(text) ?? [];
  const format = archiveFormats.find((known) => known === name);
  return format === undefined ? undefined : { format, path: resolve(cwd, path) };
}

/** Checks before a build, which takes minutes, that its file can be written. */
function fileIssues({ files }: Host, path: string): readonly Issue[] {
  const directory = dirname(path);
  const isDirectory = (name: string) => files.info(name)?.kind === "directory";
  if (isDirectory(path)) return [issue("SUBMIT_ERR_IMAGE_OUTPUT_FILE", { path, reason: "it is a directory" })];
  if (isDirectory(directory)) return [];
  return [issue("SUBMIT_ERR_IMAGE_OUTPUT_FILE", { path, reason: `there is no directory ${directory}` })];
}

/** Returns the root of this package, which contains the Dockerfiles and the programs. */
function findPackage(host: Host, definitions: readonly ImageDefinition[]): string {
  const root = packageDirectory(host);
  for (const { directory } of definitions) {
    const path = `${root}/images/${directory}/Dockerfile`;
    if (host.files.info(path)?.kind !== "file") throw submitError("SUBMIT_ERR_IMAGE_PACKAGE", { path });
  }
  return root;
}

async function sparkOf(host: Host, options: BuildOptions): Promise<SparkHome> {
  const path = options.value("--spark-home");
  const spark =
    path === undefined
      ? await installed(host, options.value("--spark-version"))
      : readSparkHome(host, resolve(host.cwd, path));
  const reject = (reason: string) => submitError("SUBMIT_ERR_IMAGE_SPARK", { path: path ?? spark?.home ?? "", reason });
  if (spark === undefined) throw reject("it has no bin/spark-submit or no jars/spark-core_*.jar");
  const requested = options.value("--spark-version");
  if (!matchesVersion(spark.version, requested)) throw reject(`it is Spark ${spark.version}, not ${requested}`);
  const jars = host.files.list(`${spark.home}/jars`) ?? [];
  if (!jars.some((name) => name.startsWith("spark-kubernetes_"))) throw reject("it has no jars/spark-kubernetes_*.jar");
  return spark;
}

async function installed(host: Host, requested: string | undefined): Promise<SparkHome> {
  const release = releaseOf(requested);
  return await findSpark(host, { version: release, install: release, progress: showProgress(host) });
}
