/** A message that cannot be decoded, with the text of Kubernetes' decoder. */
export class ProtobufError extends Error {}

/** A field of a message: a varint or a number of fixed size as bigint, all others as bytes. */
interface MessageField {
  readonly number: number;
  readonly wireType: number;
  readonly value: bigint | Uint8Array;
}

export type Message = readonly MessageField[];

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

/**
 * Decodes the fields of a message that have one of the numbers, in order. Skips other fields, including groups.
 *
 * @param name the type of the message, for errors
 * @throws ProtobufError
 */
export function readMessage(bytes: Uint8Array, name: string, numbers: readonly number[]): Message {
  const reader = byteReader(bytes);
  const fields: MessageField[] = [];
  while (!reader.isAtEnd()) {
    const { number, wireType } = reader.tag();
    if (wireType === wireTypes.groupEnd) throw new ProtobufError(`proto: ${name}: wiretype end group for non-group`);
    if (number <= 0) throw new ProtobufError(`proto: ${name}: illegal tag ${number} (wire type ${wireType})`);
    if (wireType === wireTypes.groupStart) {
      skipGroup(reader);
      continue;
    }
    const value = reader.value(wireType);
    if (numbers.includes(number)) fields.push({ number, wireType, value });
  }
  return fields;
}

type ByteReader = ReturnType<typeof byteReader>;

function byteReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  /**
   * Reads a varint of at most ten bytes into three numbers of 28, 28 and 8 bits. Arithmetic with bigint is slow, and V8 11
   * (Node 20) aborts when it optimizes such loops.
   */
  function varint(): { readonly low: number; readonly middle: number; readonly high: number } {
    const parts: [number, number, number] = [0, 0, 0];
    for (let index = 0; index < 10; index += 1) {
      const byte = next(1)[0] ?? 0;
      const part = index < 4 ? 0 : index < 8 ? 1 : 2;
      const bits = index === 9 ? byte & 1 : byte & 127;
      parts[part] += bits * 2 ** (7 * (index % 4));
      if (byte < 128) return { low: parts[0], middle: parts[1], high: parts[2] };
    }
    throw new ProtobufError("proto: integer overflow");
  }

  function tag() {
    const { low, middle } = varint();
    // As in Kubernetes, the lower 32 bits.
    return { wireType: low & 7, number: (Math.floor(low / 8) + middle * 2 ** 25) | 0 };
  }

  function next(size: number): Uint8Array {
    if (at + size > bytes.length) throw new ProtobufError("unexpected EOF");
    at += size;
    return bytes.subarray(at - size, at);
  }

  function sized(): Uint8Array {
    const { low, middle, high } = varint();
    if (high >= 128) throw new ProtobufError("proto: negative length found during unmarshaling");
    return next(low + middle * 2 ** 28 + high * 2 ** 56);
  }

  function value(wireType: number): bigint | Uint8Array {
    switch (wireType) {
      case wireTypes.varint: {
        const { low, middle, high } = varint();
        return BigInt(low) + BigInt(middle) * 2n ** 28n + BigInt(high) * 2n ** 56n;
      }
      case wireTypes.bytes:
        return sized();
      case wireTypes.fixed64:
        next(8);
        return view.getBigUint64(at - 8, true);
      case wireTypes.fixed32:
        next(4);
        return BigInt(view.getUint32(at - 4, true));
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }

  return { isAtEnd: () => at >= bytes.length, tag, value };
}

/** Skips a group, in which other groups can be nested to any depth. */
function skipGroup(reader: ByteReader): void {
  for (let depth = 1; depth > 0; ) {
    const { wireType } = reader.tag();
    if (wireType === wireTypes.groupStart) depth += 1;
    else if (wireType === wireTypes.groupEnd) depth -= 1;
    else reader.value(wireType);
  }
}
