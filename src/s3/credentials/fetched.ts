import { isFields } from "../../values/fields.ts";
import type { S3Credentials } from "./credentials.ts";

/** Parses credentials in JSON, as metadata services and programs return them. @param from name of the source, for messages */
export function parseFetched(text: string, from: string): S3Credentials {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${from} did not return JSON`);
  }
  const fields = isFields(json) ? json : {};
  const textOf = (name: string) => {
    const value = fields[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [accessKeyId, secretAccessKey] = [textOf("AccessKeyId"), textOf("SecretAccessKey")];
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error(`${from} returned no keys`);
  const sessionToken = textOf("Token") ?? textOf("SessionToken");
  return { accessKeyId, secretAccessKey, sessionToken, expiresAtMs: instantOf(textOf("Expiration")) };
}

/** Parses a timestamp into ms since 1970. `undefined` when it is not a timestamp. */
export function instantOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
