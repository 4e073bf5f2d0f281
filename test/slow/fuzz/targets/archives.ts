import { parsePaxRecords } from "../../../../src/init-container/tar/pax-records.ts";
import { readTar } from "../../../../src/init-container/tar/read-tar.ts";
import { TarError } from "../../../../src/init-container/tar/tar-header.ts";
import { packetsOf } from "../packets.ts";
import { type FuzzTarget, isOneOf } from "../target.ts";

const blockBytes = 512;

/** Archives that arrive from other machines. */
export const archiveTargets: readonly FuzzTarget[] = [
  {
    name: "tar",
    maxBytes: 16 * 1024,
    isExpected: isOneOf(TarError),
    seeds: [
      Buffer.concat([
        Buffer.of(0x38),
        memberOf("a.txt", "0", "abc"),
        memberOf("b", "x", "14 path=ab.txt\n"),
        memberOf("c", "0", "de"),
      ]),
    ],
    async run(input) {
      const { packets } = packetsOf(withChecksums(input));
      const sink = { start() {}, write() {}, end() {} };
      await readTar(streamOf(packets), sink, { files: 100, contentBytes: 10_000 });
    },
  },
  { name: "pax-records", isExpected: isOneOf(TarError), run: (input) => parsePaxRecords(input) },
];

async function* streamOf(packets: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* packets;
}

/** Builds a member of a tar archive; the checksum is zero. */
function memberOf(name: string, type: string, content: string): Buffer {
  const member = Buffer.alloc(2 * blockBytes);
  member.write(name, 0);
  member.write("0000644\0", 100);
  member.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  member.write(type, 156);
  member.write("ustar\x0000", 257);
  member.write(content, blockBytes);
  return member;
}

/** Corrects the checksums of all blocks that are headers. Otherwise, hardly any changed archive would pass the first check. */
function withChecksums(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  for (let at = 1; at + blockBytes <= copy.length; at += blockBytes) {
    const block = copy.subarray(at, at + blockBytes);
    if (block.toString("latin1", 257, 262) !== "ustar") continue;
    block.fill(" ", 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  }
  return copy;
}
