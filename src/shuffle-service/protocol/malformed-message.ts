/** Error of bytes that do not follow the protocol. */
export class MalformedMessage extends Error {}
