/** Builds the directory of a zip archive, which is all that its names need. @param comment of the archive */
export function testZip(names: readonly string[], comment = ""): Buffer {
  const entries = names.map((name) => {
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(name.length, 28);
    return Buffer.concat([entry, Buffer.from(name)]);
  });
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([directory, end, Buffer.from(comment)]);
}
