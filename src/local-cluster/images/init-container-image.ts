import { dirname } from "node:path";
import type { Host } from "../../host/host.ts";
import { type ComposedImage, type ImageParts, plainImage, readOnlyBind } from "./spark-image.ts";

const programName = "spark-init-container.cjs";
const programDirectory = "/opt/firesteel/bin";
const nodeProgram = "/opt/firesteel/node";

/**
 * Builds the image from this machine's Node and the program next to the running one; `undefined` if that is missing. The tag of its name
 * is ignored: the image always contains the running version.
 */
export function initContainerImage(
  parts: ImageParts,
  { programPath, nodePath }: Pick<Host, "programPath" | "nodePath">,
): ComposedImage | undefined {
  const { files } = parts;
  const programs = dirname(files.realPath(programPath) ?? programPath);
  if (files.info(`${programs}/${programName}`)?.kind !== "file") return undefined;
  const plain = plainImage(parts);
  return {
    ...plain,
    id: `${plain.id}-init`,
    mounts: [
      ...plain.mounts,
      readOnlyBind(files.realPath(nodePath) ?? nodePath, nodeProgram),
      readOnlyBind(programs, programDirectory),
    ],
    entrypoint: [nodeProgram, "--use-openssl-ca", `${programDirectory}/${programName}`],
  };
}
