import type { ContentReader } from "../../../host/content-files.ts";
import { type OpenedContent, sequentialReader } from "../sequential-reader.ts";
import type { HdfsScope } from "./hdfs-scope.ts";

/** Part of a content: a file that its offset in the content names. */
export interface ContentPart {
  readonly path: string;
  readonly offset: number;
  readonly sizeBytes: number;
}

/** Content as a directory of parts. */
export interface PartedContent {
  /** Without gaps, from the first byte on. */
  readonly parts: readonly ContentPart[];
  readonly sizeBytes: number;
}

/** Returns the path of the part at an offset. Names sort as offsets do. */
export function partPath(directory: string, offset: number): string {
  return `${directory}/${String(offset).padStart(16, "0")}`;
}

/** Lists the parts of a content. `undefined` if its directory does not exist. */
export async function listParts({ hdfs }: HdfsScope, directory: string): Promise<PartedContent | undefined> {
  const files = await hdfs.list(directory);
  if (files === undefined) return undefined;
  const parts: ContentPart[] = [];
  let sizeBytes = 0;
  for (const { kind, name, sizeBytes: partBytes } of files) {
    if (kind !== "file" || Number(name) !== sizeBytes) continue;
    parts.push({ path: `${directory}/${name}`, offset: sizeBytes, sizeBytes: partBytes });
    sizeBytes += partBytes;
  }
  return { parts, sizeBytes };
}

/** Opens a content; `undefined` if it does not exist. */
export async function openParts(scope: HdfsScope, directory: string): Promise<ContentReader | undefined> {
  const content = await listParts(scope, directory);
  if (content === undefined) return undefined;
  const open = async (offset: number) => openFrom(scope, content, offset);
  return sequentialReader({ sizeBytes: content.sizeBytes, name: directory, open });
}

/** Opens a content at an offset. */
export function openFrom({ hdfs }: HdfsScope, { parts }: PartedContent, offset: number): OpenedContent {
  let current: OpenedContent | undefined;
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      if (part.offset + part.sizeBytes <= offset) continue;
      current = await hdfs.open(part.path, { offset: Math.max(0, offset - part.offset) });
      if (current === undefined) throw new Error(`${part.path} does not exist any more`);
      yield* current.body;
    }
  }
  return { body: read(), close: () => current?.close() };
}
