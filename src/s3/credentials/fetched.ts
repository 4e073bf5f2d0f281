import { isFields } from "../../values/fields.ts";
import type { S3Credentials } from "./credentials.ts";

/** Credentials in JSON, as the services of a machine and programs give them. @param from for messages */
export function parseFetched(text: string, from: string): S3Credentials {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${from} gave no JSON`);
  }
  const fields = isFields(json) ? json : {};
  const textOf = (name: string) => {
    const value = fields[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [accessKeyId, secretAccessKey] = [textOf("AccessKeyId"), textOf("SecretAccessKey")];
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error(`${from} gave no keys`);
  const sessionToken = textOf("Token") ?? textOf("SessionToken");
  return { accessKeyId, secretAccessKey, sessionToken, expiresAtMs: instantOf(textOf("Expiration")) };
}

/** Ms since 1970 of a time that somebody wrote; what is none is none. */
export function instantOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
