import { tooShort } from "../files/block-source.ts";
import type { OpenChunk } from "./chunk-task.ts";
import { failStream, failureText } from "./prepare-chunks.ts";
import type { ServiceScope } from "./scope.ts";

/** Target of content of a chunk. */
interface ContentPart {
  readonly chunk: OpenChunk | undefined;
  readonly content: Buffer;
  readonly position: number;
  readonly isContinued: boolean;
}

/**
 * Reads the contents of parts. Returns the index of the first part that cannot be read, whose stream has then failed.
 *
 * @throws an error if part of a chunk has been sent and the rest cannot be read: only a closed connection shows it to the client
 */
export async function readParts(scope: ServiceScope, parts: readonly ContentPart[]): Promise<number | undefined> {
  const failures = await Promise.all(groupReads(parts).map((group) => readGroup(scope, group)));
  const found = failures.flatMap((failure) => failure ?? []).sort((a, b) => a.index - b.index)[0];
  if (found === undefined) return undefined;
  const { chunk, failure, index } = found;
  scope.source.open.forget(chunk.range.directory, chunk.range.name);
  if (parts[index]?.isContinued === true) throw new Error(failure);
  failStream(scope, chunk.task, failure);
  return index;
}

/** Parts that are consecutive in one file. */
interface ReadGroup {
  readonly members: { readonly index: number; readonly chunk: OpenChunk; readonly content: Buffer }[];
  readonly startOffset: number;
  endOffset: number;
}

function groupReads(parts: readonly ContentPart[]): readonly ReadGroup[] {
  const groups: ReadGroup[] = [];
  for (const [index, { chunk, content, position }] of parts.entries()) {
    if (chunk?.open.file === undefined || content.length === 0) continue;
    const startOffset = chunk.open.offset + position;
    const last = groups.at(-1);
    const isNext =
      last?.endOffset === startOffset && last.members[0]?.chunk.open.file?.identity === chunk.open.file.identity;
    const group = last !== undefined && isNext ? last : { members: [], startOffset, endOffset: 0 };
    if (group !== last) groups.push(group);
    group.members.push({ index, chunk, content });
    group.endOffset = startOffset + content.length;
  }
  return groups;
}

/** Reads a group. Returns its first part that the file does not contain completely. */
async function readGroup(scope: ServiceScope, { members, startOffset }: ReadGroup) {
  const [first] = members;
  if (first?.chunk.open.file === undefined) return undefined;
  try {
    const contents = members.map(({ content }) => content);
    let rest = await first.chunk.open.file.read(contents, startOffset);
    for (const { index, chunk, content } of members) {
      rest -= content.length;
      if (rest < 0) return { index, chunk, failure: failureText(scope, tooShort(chunk.range.name)) };
    }
    return undefined;
  } catch (error) {
    return { index: first.index, chunk: first.chunk, failure: failureText(scope, error) };
  }
}
