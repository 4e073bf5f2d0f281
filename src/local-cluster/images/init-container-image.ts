import { dirname } from "node:path";
import type { Host } from "../../host/host.ts";
import type { ImageReference } from "../../values/image-reference.ts";
import { type ComposedImage, type ImageParts, plainImage, readOnlyBind } from "./spark-image.ts";

const names = ["spark-init-container", "spark-init"];

/**
 * Returns whether an image is the init container, by the last part of its repository, whatever the registry. The tag is ignored: the image
 * always contains the running version. `spark-init` is the name in the first releases of Spark on Kubernetes.
 */
export function isInitContainer({ repository }: Pick<ImageReference, "repository">): boolean {
  return names.includes(repository.slice(repository.lastIndexOf("/") + 1));
}

const programName = "spark-init-container.cjs";
const programDirectory = "/opt/firesteel/bin";
const nodeProgram = "/opt/firesteel/node";

/**
 * Builds the image from this machine's Node and the program next to the running one; `undefined` if that is missing.
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
