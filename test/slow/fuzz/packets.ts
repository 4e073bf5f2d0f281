/** An input that arrives in packets. */
interface Packets {
  /** Number from 0 to 7, for variants of a parser. */
  readonly variant: number;
  readonly packets: readonly Buffer[];
}

/** Splits an input: its first byte is the variant and the size of the packets, from 1 byte to all bytes. */
export function packetsOf(input: Buffer): Packets {
  const [first = 0] = input;
  const bytes = input.subarray(1);
  const size = (first >> 3) % 8 === 7 ? bytes.length + 1 : 4 ** ((first >> 3) % 8);
  const packets: Buffer[] = [];
  // At most 4096 packets, so that a long input does not spend its time on them.
  const step = Math.max(size, Math.ceil(bytes.length / 4096));
  for (let at = 0; at < bytes.length; at += step) packets.push(bytes.subarray(at, at + step));
  return { variant: first % 8, packets };
}
