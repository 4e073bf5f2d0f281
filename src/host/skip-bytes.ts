/** Returns what remains of buffers after some bytes, without copying it. */
export function skipBytes(buffers: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = bytes;
  return buffers.flatMap((buffer) => {
    const rest = buffer.subarray(Math.min(skipped, buffer.length));
    skipped -= buffer.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
}
