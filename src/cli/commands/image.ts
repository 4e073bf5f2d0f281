import { resolve } from "node:path";
import { newestLine } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { buildImage } from "../../images/build-image.ts";
import { findEngine } from "../../images/find-engine.ts";
import { type ImageDefinition, imageDefinitions } from "../../images/image-definitions.ts";
import { findSpark } from "../../spark/find-spark.ts";
import { matchesVersion, readSparkHome, type SparkHome } from "../../spark/spark-home.ts";
import { releaseOf } from "../embedded.ts";
import { exitCodes } from "../exit-codes.ts";
import { packageDirectory } from "../package-directory.ts";
import { parseOptions } from "../parse-options.ts";
import { selectCommand } from "../select-command.ts";
import { firesteelVersion } from "../version.ts";
import { type BuildOptions, buildGrammar, checkBuildOptions } from "./image-options.ts";

const imageUsage = `Usage: firesteel image <command> [options]

Build the images that Firesteel and Spark need on a cluster, with Docker, Podman or Buildah.

  list     list the images that can be built
  build    build images

For the options of a command, run: firesteel image <command> --help
`;

const usages = {
  list: `Usage: firesteel image list [options]

List the images that can be built.

Options:
  --json                  JSON output
`,
  build: `Usage: firesteel image build NAME… [options]

Build images with Docker, Podman or Buildah. Names: firesteel image list

Options:
  --spark-version VERSION   Spark of the image: a release (4.3.0), or the newest release of a line (default: ${newestLine})
  --spark-home DIR          Spark distribution of the image, instead of a download
  --base IMAGE              image to build on: Debian or Ubuntu; for the others than Spark with Node 20.19 or newer
  --tag REGISTRY/NAME:TAG   name of the image (default: NAME with the version of Spark or Firesteel)
  --engine ENGINE           docker, podman or buildah (default: the first that works)
  --push                    upload to the registry in the image's name, which --tag must have
  --output FORMAT:FILE      also write a file: oci-archive:FILE or docker-archive:FILE
  --json                    JSON output

The engine's output goes to stderr, and the names of the images to stdout.
`,
};

/** Runs `firesteel image`. @returns the exit code */
export async function runImageCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, { group: "image", usage: imageUsage, usages });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  return command === "list" ? list(host, rest) : await build(host, parseOptions(rest, buildGrammar));
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
  const { definitions, requestedEngine, archive } = checkBuildOptions(host, options);
  const packageRoot = findPackage(host, definitions);
  const engine = await findEngine(host, requestedEngine);
  const spark = definitions.some(({ content }) => content === "spark")
    ? await sparkFor(host, definitions, options)
    : undefined;
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

/** Returns the root of this package, which contains the Dockerfiles and the programs. */
function findPackage(host: Host, definitions: readonly ImageDefinition[]): string {
  const root = packageDirectory(host);
  for (const { directory } of definitions) {
    const path = `${root}/images/${directory}/Dockerfile`;
    if (host.files.info(path)?.kind !== "file") throw submitError("SUBMIT_ERR_IMAGE_PACKAGE", { path });
  }
  return root;
}

/** Finds the distribution of the images, and checks before a build that it has what they copy. */
async function sparkFor(
  host: Host,
  definitions: readonly ImageDefinition[],
  options: BuildOptions,
): Promise<SparkHome> {
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
  const needsR = definitions.some(({ args }) => args["LANGUAGE"] === "r");
  if (needsR && host.files.info(`${spark.home}/R/lib/SparkR`)?.kind !== "directory")
    throw submitError("SUBMIT_ERR_IMAGE_SPARK_R", { path: spark.home });
  return spark;
}

async function installed(host: Host, requested: string | undefined): Promise<SparkHome> {
  const release = releaseOf(requested);
  return await findSpark(host, { version: release, install: release, progress: showProgress(host) });
}
