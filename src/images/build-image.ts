import { dirname } from "node:path";
import type { Files, Host, Random } from "../host/host.ts";
import {
  archiveArguments,
  buildArguments,
  type EngineName,
  type ImageArchive,
  pushArguments,
} from "./engine-commands.ts";
import type { ImageDefinition } from "./image-definitions.ts";
import { type Interrupt, runEngine } from "./run-engine.ts";

/** An image to build. */
export interface ImageBuild {
  readonly definition: ImageDefinition;
  readonly tag: string;
  readonly engine: EngineName;
  /** Root directory of this package. */
  readonly packageRoot: string;
  /** Version of what the image contains. */
  readonly version: string;
  /** Directory that the image's files are copied from. */
  readonly content: string;
  /** Image to build on. @default the Dockerfile's */
  readonly base: string | undefined;
  readonly isPushed: boolean;
  readonly archive: ImageArchive | undefined;
}

/**
 * Builds an image, and pushes it or writes it to a file. The engine names the image only once it is complete, and a file
 * gets its name only once it is complete.
 *
 * @returns the signal if it was interrupted
 * @throws SUBMIT_ERR_IMAGE_ENGINE_FAILED
 */
export async function buildImage(host: Host, build: ImageBuild): Promise<Interrupt | undefined> {
  const { definition, tag, engine, base, archive } = build;
  const input = {
    tag,
    directory: `${build.packageRoot}/images/${definition.directory}`,
    contexts: { [definition.content]: build.content, ...optionalContexts(host.files, build) },
    args: {
      ...definition.args,
      ...(base === undefined ? {} : { BASE: base }),
      ...(definition.content === "spark" && host.env["FIRESTEEL_CLASS_SHARING"] === "off" && { CLASS_SHARING: "off" }),
    },
    labels: { "org.opencontainers.image.version": build.version },
  };
  let interrupt = await runEngine(host, { engine, step: "build", tag, args: buildArguments(input) });
  if (build.isPushed)
    interrupt ??= await runEngine(host, { engine, step: "push", tag, args: pushArguments(engine, tag) });
  if (archive !== undefined) interrupt ??= await writeArchive(host, build, archive);
  return interrupt;
}

/** Finds the optional packages of an image: in this package's own `node_modules`, or beside this package. */
function optionalContexts(
  files: Pick<Files, "info">,
  { definition, packageRoot }: ImageBuild,
): Readonly<Record<string, string>> {
  const directories = [`${packageRoot}/node_modules`, dirname(packageRoot)];
  return Object.fromEntries(
    Object.entries(definition.optionalPackages ?? {}).flatMap(([context, name]) => {
      const found = directories.find((directory) => files.info(`${directory}/${name}`)?.kind === "directory");
      return found === undefined ? [] : [[context, `${found}/${name}`]];
    }),
  );
}

/** Returns the name of a file until it is complete. */
export function draftPath(path: string, random: Random): string {
  return `${path}.${random.uuid()}.tmp`;
}

async function writeArchive(
  host: Host,
  { engine, tag }: ImageBuild,
  archive: ImageArchive,
): Promise<Interrupt | undefined> {
  const { files, random } = host;
  const { path } = archive;
  const draft = draftPath(path, random);
  try {
    const interrupt = await runEngine(host, {
      ...{ engine, step: "save", tag },
      args: archiveArguments(engine, tag, { ...archive, path: draft }),
    });
    if (interrupt === undefined) files.rename(draft, path);
    else files.remove(draft);
    return interrupt;
  } catch (error) {
    files.remove(draft);
    throw error;
  }
}
