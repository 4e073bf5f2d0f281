/**
 * Returns the default principal of a Kerberos ticket cache in a file; `undefined` if it has another format.
 *
 * Source: MIT Kerberos, "Credential cache file format", versions 3 and 4.
 */
export function principalOfTicketCache(bytes: Uint8Array): string | undefined {
  const view = Buffer.from(bytes);
  const version = view.length < 4 ? 0 : view.readUInt16BE(0);
  if (version !== 0x0504 && version !== 0x0503) return undefined;
  try {
    // Version 4 has a header of tags; a name type precedes the count of components.
    let position = version === 0x0504 ? 4 + view.readUInt16BE(2) : 2;
    const count = view.readUInt32BE(position + 4);
    position += 8;
    const texts: string[] = [];
    for (let index = 0; index <= count; index += 1) {
      const length = view.readUInt32BE(position);
      texts.push(view.toString("utf8", position + 4, position + 4 + length));
      position += 4 + length;
    }
    const [realm, ...components] = texts;
    return `${components.join("/")}@${realm}`;
  } catch {
    return undefined;
  }
}
