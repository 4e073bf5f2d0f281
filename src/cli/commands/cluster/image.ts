import { submitError } from "../../../errors/submit-error.ts";
import { absolutePath } from "../../../host/absolute-path.ts";
import type { Host } from "../../../host/host.ts";
import { visibleLine } from "../../../host/visible-text.ts";
import { parseOptions } from "../../parse-options.ts";
import { selectCommand } from "../../select-command.ts";
import { clusterImageUsage, clusterImageUsages } from "./usages.ts";

interface NamedImage {
  readonly name: string | undefined;
  readonly image: { readonly id: string; readonly sizeBytes: number };
}

/** Runs `cluster image`. Pods can use these images instead of this machine's programs; all clusters of a user share them. */
export async function runImageCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, {
    ...{ group: "cluster image", usage: clusterImageUsage, usages: clusterImageUsages },
  });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  const flags = parseOptions(rest, grammars[command]);
  const [argument] = flags.positionals;
  const images = await import("../../../local-cluster/index.ts");
  switch (command) {
    case "load": {
      const file = required(argument, "load");
      const path = absolutePath(host, file);
      printImages(host, await images.loadImages(host, { file: path, name: flags.value("--tag") }), flags);
      return 0;
    }
    case "list":
      printImages(host, images.listImages(host), flags);
      return 0;
    case "remove": {
      const name = required(argument, "remove");
      if (images.removeImage(host, name)) return 0;
      const known = images.listImages(host).map((image) => image.name ?? shortId(image));
      throw submitError("SUBMIT_ERR_IMAGE_NOT_FOUND", { name, known });
    }
  }
}

type Grammar = Parameters<typeof parseOptions<"--json", "--tag">>[1];
const grammars: Readonly<Record<keyof typeof clusterImageUsages, Grammar>> = {
  load: { flags: ["--json"], values: ["--tag"], maxPositionals: 1 },
  list: { flags: ["--json"], values: [], maxPositionals: 0 },
  remove: { flags: [], values: [], maxPositionals: 1 },
};

const missing = {
  load: {
    what: "an archive or the directory of an image",
    allowed: "a file of docker save or an OCI archive",
    example: "image.tar",
  },
  remove: {
    what: "the name of an image",
    allowed: "a name that firesteel cluster image list prints",
    example: "spark-py:4.3.0",
  },
} as const;

function required(argument: string | undefined, command: keyof typeof missing): string {
  if (argument !== undefined) return argument;
  throw submitError("SUBMIT_ERR_ARGUMENT_MISSING", { command: `cluster image ${command}`, ...missing[command] });
}

function printImages(
  host: Host,
  images: readonly NamedImage[],
  { has }: { readonly has: (flag: "--json") => boolean },
): void {
  if (has("--json")) {
    const facts = images.map(({ name, image: { id, sizeBytes } }) => ({ name: name ?? null, id, sizeBytes }));
    host.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`);
    return;
  }
  const rows = images.map((named) => ({ named, name: visibleLine(named.name ?? "<none>") }));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  for (const { named, name } of rows) {
    const megabytes = (named.image.sizeBytes / 1e6).toFixed(1);
    host.stdout.write(`${name.padEnd(width)}  ${shortId(named)}  ${megabytes} MB\n`);
  }
}

function shortId({ image }: NamedImage): string {
  return image.id.slice("sha256:".length, "sha256:".length + 12);
}
