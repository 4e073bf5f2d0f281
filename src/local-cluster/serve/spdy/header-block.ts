import { constants, createInflate } from "node:zlib";

/** Dictionary of common header texts, each after its length (4 bytes). Source: SPDY Protocol, Draft 3.1, 2.6.10.1. */
const entries = [
  "options,head,post,put,delete,trace,accept,accept-charset,accept-encoding,accept-language,accept-ranges,age,allow",
  "authorization,cache-control,connection,content-base,content-encoding,content-language,content-length",
  "content-location,content-md5,content-range,content-type,date,etag,expect,expires,from,host,if-match",
  "if-modified-since,if-none-match,if-range,if-unmodified-since,last-modified,location,max-forwards,pragma",
  "proxy-authenticate,proxy-authorization,range,referer,retry-after,server,te,trailer,transfer-encoding,upgrade",
  "user-agent,vary,via,warning,www-authenticate,method,get,status",
  "200 OK,version,HTTP/1.1,url,public,set-cookie,keep-alive,origin",
].flatMap((line) => line.split(","));

/** End of the dictionary, without lengths. Source: as above. */
const tail = [
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505",
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden",
  "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable",
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT",
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,",
  "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.",
].join("");

const dictionary = Buffer.concat([...entries.flatMap(withLength), Buffer.from(tail)]);

function withLength(text: string): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return [length, Buffer.from(text)];
}

/** Maximum size of a decompressed block; kubectl's have about 60 bytes. */
const maxBlockBytes = 16 * 1024;

/** Creates a decoder of a connection's header blocks, which share one compression state. Rejects a block that is too large. */
export function headerReader(): (block: Uint8Array) => Promise<Readonly<Record<string, string>>> {
  const inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  inflate.on("data", (piece: Buffer) => {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes > maxBlockBytes) inflate.destroy();
  });
  return (block) =>
    new Promise((resolve, reject) => {
      inflate.once("error", reject);
      inflate.write(block, (error) => {
        inflate.off("error", reject);
        if (error) return reject(error);
        if (sizeBytes > maxBlockBytes) return reject(new Error(`the headers have more than ${maxBlockBytes} bytes`));
        resolve(parseHeaders(Buffer.concat(pieces)));
        [pieces, sizeBytes] = [[], 0];
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

/** Creates an encoder of empty header blocks, uncompressed; this server sends no others. */
export function emptyHeaderWriter(): () => Buffer {
  let isFirst = true;
  return () => {
    const start = isFirst ? [0x78, 0x01] : [];
    isFirst = false;
    // An empty block flushes the reader's decompressor.
    return Buffer.concat([Buffer.from(start), storedBlock(Buffer.alloc(4)), storedBlock(Buffer.alloc(0))]);
  };
}

/** Builds a stored deflate block that is not the last: length and inverted length, little-endian (RFC 1951, 3.2.4). */
function storedBlock(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(0xffff ^ content.length, 3);
  return Buffer.concat([head, content]);
}
