import { createHash } from "node:crypto";
import type { Host } from "../../host/host.ts";
import type { DependencyContent, DependencyFacts } from "../../plan/facts.ts";
import { localDependencies } from "../../plan/local-dependencies.ts";
import { isUploaded, mostSecretBytes } from "../../plan/staging.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";

/** Memory that a look into a file takes, whatever its size. */
const pieceBytes = 1024 * 1024;

/** What there is of each local dependency; what is in them only where they are not uploaded to a file system. */
export function lookAtDependencies(host: Host, request: SubmitRequest): readonly DependencyFacts[] {
  const paths = localDependencies(request).map(({ path }) => path);
  const found = paths.map((path) => lookAt(host, path));
  if (isUploaded(request)) return found.map(({ uuid, sizeBytes }) => ({ uuid, sizeBytes }));
  const sizes = new Map(found.map(({ sizeBytes = 0 }, index) => [paths[index], sizeBytes]));
  const totalBytes = [...sizes.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0);
  const isCarried = totalBytes <= mostSecretBytes(request);
  return found.map(({ isFile, uuid, sizeBytes }, index) => ({
    ...{ uuid, sizeBytes },
    ...(isFile ? { content: readContent(host, paths[index] ?? "", isCarried) } : {}),
  }));
}

interface Found extends DependencyFacts {
  readonly isFile: boolean;
}

function lookAt({ files, random }: Host, path: string): Found {
  const info = files.info(path);
  const sizes: Readonly<Record<string, number | undefined>> = { file: info?.sizeBytes, directory: 0 };
  return { uuid: random.uuid(), sizeBytes: sizes[info?.kind ?? ""], isFile: info?.kind === "file" };
}

function readContent({ files }: Host, path: string, isCarried: boolean): DependencyContent {
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const piece = files.readRange(path, at, pieceBytes) ?? new Uint8Array();
    hash.update(piece);
    if (isCarried) pieces.push(piece);
    at += piece.length;
    if (piece.length < pieceBytes) break;
  }
  return {
    digest: `sha256:${hash.digest("hex")}`,
    isExecutable: ((files.info(path)?.mode ?? 0) & 0o111) !== 0,
    ...(isCarried ? { base64: Buffer.concat(pieces).toString("base64") } : {}),
  };
}
