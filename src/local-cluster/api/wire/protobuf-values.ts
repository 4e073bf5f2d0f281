import { parseJson } from "./parse-json.ts";
import { type Message, readMessage } from "./protobuf-message.ts";

/** Value of a field in a message; `undefined` if the message lacks the field. */
export type Value = Message[number]["value"] | undefined;

/** Returns the last value of a field, which counts if there are several. */
export function lastValue(message: Message, number: number): Value {
  return message.findLast((field) => field.number === number)?.value;
}

/** Returns a value as bytes; none for a number. */
export function bytesOf(value: Value): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** Returns a value as text; `""` for a number. */
export function textOf(value: Value): string {
  return Buffer.from(bytesOf(value)).toString("utf8");
}

/** Returns a value as a signed number of 64 bits; 0 for bytes. */
export function integerOf(value: Value): number {
  return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;
}

/** Decodes a message that has JSON as its only field; `null` if it is invalid. @throws ProtobufError */
export function readJson(value: Value, name: string): unknown {
  const parsed = parseJson(textOf(lastValue(readMessage(bytesOf(value), name, [1]), 1)));
  return "value" in parsed ? parsed.value : null;
}
