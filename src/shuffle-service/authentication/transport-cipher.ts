/** Encryption of a connection after its handshake. Both directions are continuous streams of frames. */
export interface TransportCipher {
  /** Encrypts the next bytes to the client. */
  readonly encrypt: (plain: Buffer) => readonly Buffer[];
  /** Decrypts the next bytes from the client, as far as they are complete. @throws MalformedMessage */
  readonly decrypt: (piece: Buffer) => readonly Buffer[];
  /** Most plain bytes that `encrypt` should get at once, because it works without a pause. */
  readonly maxPlainBytes: number;
}
