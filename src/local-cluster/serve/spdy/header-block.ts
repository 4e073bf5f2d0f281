import { constants, createInflate } from "node:zlib";

/** Texts that headers are likely to have, each after its length (4 bytes). Source: SPDY Protocol, Draft 3.1, 2.6.10.1. */
const words = [
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow",
  "authorization cache-control connection content-base content-encoding content-language content-length",
  "content-location content-md5 content-range content-type date etag expect expires from host if-match",
  "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma",
  "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade",
  "user-agent vary via warning www-authenticate method get status",
]
  .join(" ")
  .split(" ");

/** More such texts, without lengths between them. Source: as above. */
const tail = [
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505",
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden",
  "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable",
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT",
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,",
  "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.",
].join("");

const dictionary = Buffer.concat([
  ...words.flatMap((word) => withLength(word)),
  ...withLength("200 OK"),
  ...withLength("version"),
  ...withLength("HTTP/1.1"),
  ...withLength("url"),
  ...withLength("public"),
  ...withLength("set-cookie"),
  ...withLength("keep-alive"),
  ...withLength("origin"),
  Buffer.from(tail),
]);

function withLength(text: string): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return [length, Buffer.from(text)];
}

/** Reads the header blocks of one connection, in their order: what one has said may be meant by the next. */
export function headerReader(): (block: Uint8Array) => Promise<Readonly<Record<string, string>>> {
  const inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  return (block) =>
    new Promise((resolve, reject) => {
      inflate.once("error", reject);
      inflate.write(block, () => {
        inflate.off("error", reject);
        const plain: unknown = inflate.read();
        resolve(parseHeaders(Buffer.isBuffer(plain) ? plain : Buffer.alloc(0)));
      });
    });
}

function parseHeaders(block: Buffer): Record<string, string> {
  let at = 0;
  const number = () => {
    at += 4;
    return at <= block.length ? block.readUInt32BE(at - 4) : 0;
  };
  const text = () => {
    const length = number();
    at += length;
    return block.toString("utf8", at - length, at);
  };
  const headers: Record<string, string> = {};
  for (let left = number(); left > 0 && at < block.length; left -= 1) {
    const name = text();
    headers[name.toLowerCase()] = text();
  }
  return headers;
}

/** Writes header blocks without headers, which is all that we say, uncompressed. */
export function emptyHeaderWriter(): () => Buffer {
  let isFirst = true;
  return () => {
    const start = isFirst ? [0x78, 0x01] : [];
    isFirst = false;
    // An empty block shows readers that there is no more for now.
    return Buffer.concat([Buffer.from(start), storedBlock(Buffer.alloc(4)), storedBlock(Buffer.alloc(0))]);
  };
}

/** Of deflate, not the last: the length, and that inverted, the low byte first (RFC 1951, 3.2.4). */
function storedBlock(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(0xffff ^ content.length, 3);
  return Buffer.concat([head, content]);
}
