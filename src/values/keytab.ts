/**
 * Lists the principals of a keytab, e.g. `ann@EXAMPLE.COM`; `undefined` if the file has another format.
 *
 * Source: MIT Kerberos, "Keytab file format", version 2.
 */
export function principalsOfKeytab(bytes: Uint8Array): readonly string[] | undefined {
  const view = Buffer.from(bytes);
  if (view.length < 2 || view.readUInt16BE(0) !== 0x0502) return undefined;
  const principals = new Set<string>();
  try {
    for (let position = 2; position + 4 <= view.length; ) {
      // A negative size is that of a removed entry; 0 ends the list.
      const size = view.readInt32BE(position);
      if (size === 0) break;
      if (size > 0) principals.add(principalAt(view, position + 4));
      position += 4 + Math.abs(size);
    }
  } catch {
    return undefined;
  }
  return [...principals];
}

function principalAt(view: Buffer, start: number): string {
  const count = view.readUInt16BE(start);
  let position = start + 2;
  const texts: string[] = [];
  for (let index = 0; index <= count; index += 1) {
    const length = view.readUInt16BE(position);
    texts.push(view.toString("utf8", position + 2, position + 2 + length));
    position += 2 + length;
  }
  const [realm, ...components] = texts;
  return `${components.join("/")}@${realm}`;
}
