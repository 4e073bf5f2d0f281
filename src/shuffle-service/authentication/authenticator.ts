import type { Random } from "../../host/host.ts";
import { ByteReader } from "../protocol/byte-reader.ts";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import { ctrCipher } from "./ctr-cipher.ts";
import { checkDigestResponse, digestChallenge, type Protection, saslKeys } from "./digest-md5.ts";
import { gcmCipher } from "./gcm-cipher.ts";
import { type AuthEngineVersion, acceptKeyExchange, keyExchangeTag, parseKeyExchange } from "./key-exchange.ts";
import { saslCipher } from "./sasl-encryption.ts";
import type { TransportCipher } from "./transport-cipher.ts";

/** Options of the authentication of clients. */
export interface AuthenticationOptions {
  /** Returns the secret of an application; `undefined` if it has none. */
  readonly secretOf: (appId: string) => string | undefined;
  /** AES key exchange; `undefined` if only SASL is offered. */
  readonly aes: { readonly cipher: "ctr" | "gcm"; readonly version: AuthEngineVersion } | undefined;
  /** SASL is accepted: always without the key exchange, else as a fallback. */
  readonly acceptsSasl: boolean;
  /** Rejects SASL without encryption. */
  readonly saslAlwaysEncrypts: boolean;
  readonly maxEncryptedBlockBytes: number;
  /** Largest plain message of a client. */
  readonly maxMessageBytes: number;
  readonly random: Pick<Random, "bytes">;
}

/** Result of one message of a handshake. */
export type AuthenticationStep =
  | { readonly kind: "continue"; readonly response: Buffer }
  /** The response is sent in plain text; the cipher applies to what follows. */
  | {
      readonly kind: "done";
      readonly response: Buffer;
      readonly appId: string;
      readonly cipher: TransportCipher | undefined;
    }
  /** Text for the client. The connection must be closed after it. */
  | { readonly kind: "failed"; readonly error: string; readonly reason: string };

/** Handshake of one connection, with one attempt. */
export interface Authenticator {
  readonly step: (body: Buffer) => AuthenticationStep;
}

/** First byte of a SASL message. Source: Spark SaslMessage. */
const saslTag = 0xea;

/** Starts the handshake of a connection. */
export function authenticator(options: AuthenticationOptions): Authenticator {
  let sasl: SaslExchange | undefined;
  return {
    step(body) {
      try {
        if (sasl !== undefined) return finishSasl(options, sasl, body);
        if (body[0] === saslTag && options.acceptsSasl) {
          sasl = startSasl(options, body);
          return { kind: "continue", response: sasl.challenge };
        }
        if (body[0] === keyExchangeTag && options.aes !== undefined) return exchangeKeys(options, options.aes, body);
        return unknownChallenge;
      } catch (error) {
        if (!(error instanceof MalformedMessage)) throw error;
        return failed(error.message);
      }
    },
  };
}

const unknownChallenge = {
  kind: "failed",
  error: "java.lang.IllegalArgumentException: Unknown challenge message.",
  reason: "The handshake is not one that the service offers.",
} as const;

/** Builds a failure with the same text for all reasons, as the JVM service, so that it reveals nothing about secrets. */
function failed(reason: string): AuthenticationStep {
  return { kind: "failed", error: "java.lang.IllegalArgumentException: Authentication failed.", reason };
}

/** A SASL exchange after its first message. */
interface SaslExchange {
  readonly appId: string;
  readonly nonce: string;
  readonly protections: readonly Protection[];
  readonly challenge: Buffer;
}

function startSasl(options: AuthenticationOptions, body: Buffer): SaslExchange {
  const { appId } = parseSasl(body);
  const nonce = Buffer.from(options.random.bytes(32)).toString("base64");
  const protections: readonly Protection[] = options.saslAlwaysEncrypts ? ["auth-conf"] : ["auth-conf", "auth"];
  return { appId, nonce, protections, challenge: digestChallenge(nonce, protections) };
}

function finishSasl(options: AuthenticationOptions, exchange: SaslExchange, body: Buffer): AuthenticationStep {
  const { token } = parseSasl(body);
  const secret = options.secretOf(exchange.appId);
  if (secret === undefined) return failed("The application has no secret.");
  const result = checkDigestResponse(token, { ...exchange, secret });
  if (!result.ok) return failed(result.reason);
  const { proof, protection, sessionHash } = result;
  const { fromClient: fromPeer, toClient: toPeer } = saslKeys(sessionHash);
  const isEncrypted = protection === "auth-conf";
  const cipher = isEncrypted ? saslCipher({ toPeer, fromPeer }, options.maxEncryptedBlockBytes) : undefined;
  return { kind: "done", response: proof, appId: exchange.appId, cipher };
}

/** Parses a SASL message: tag, application, length of the token, token. */
function parseSasl(body: Buffer): { readonly appId: string; readonly token: Buffer } {
  const reader = new ByteReader(body);
  if (reader.uint8() !== saslTag) throw new MalformedMessage("The second message is not of SASL.");
  return { appId: reader.string(), token: reader.bytes() };
}

function exchangeKeys(
  { secretOf, random, maxMessageBytes }: AuthenticationOptions,
  { cipher, version }: NonNullable<AuthenticationOptions["aes"]>,
  request: Buffer,
): AuthenticationStep {
  const { appId } = parseKeyExchange(request);
  const secret = secretOf(appId);
  if (secret === undefined) return failed("The application has no secret.");
  const randomOf = random.bytes;
  const accepted = acceptKeyExchange({ request, secret, version, randomOf });
  if (accepted === undefined) return failed("The key exchange does not match the secret.");
  const { response, keys } = accepted;
  const transport = cipher === "ctr" ? ctrCipher(keys) : gcmCipher({ key: keys.key, maxMessageBytes, randomOf });
  return { kind: "done", response, appId, cipher: transport };
}
