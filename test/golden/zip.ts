import { crc32 } from "node:zlib";

/** Builds a zip file without compression, with the same bytes as the recordings. */
export function zip(entries: Readonly<Record<string, string>>): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x800, 2);
    shared.writeUInt16LE(0x21, 8);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const head = Buffer.concat([Buffer.from("PK\x03\x04"), shared]);
    const location = Buffer.alloc(14);
    location.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), shared, location, path);
    files.push(head, path, data);
    offset += head.length + path.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  const count = Object.keys(entries).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, list, Buffer.from("PK\x05\x06"), end]);
}

/** Builds a jar with a manifest, which can name a main class. */
export function jar(mainClass: string | undefined, entries: Readonly<Record<string, string>> = {}): Uint8Array {
  const main = mainClass === undefined ? "" : `Main-Class: ${mainClass}\r\n`;
  return zip({ "META-INF/MANIFEST.MF": `Manifest-Version: 1.0\r\n${main}\r\n`, ...entries });
}
