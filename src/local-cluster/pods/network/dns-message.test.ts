import fc from "fast-check";
import { expect, test } from "vitest";
import { formatName, formatResponse, parseQuestion, recordTypes, responseCodes } from "./dns-message.ts";

function query(name: string, type: number, id = 7): Buffer {
  const header = Buffer.from([id >> 8, id & 0xff, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, formatName(name), Buffer.from([type >> 8, type & 0xff, 0, 1])]);
}

test("parses the questions of clients", () => {
  const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
  fc.assert(
    fc.property(fc.array(label, { maxLength: 8 }), fc.nat(65_535), fc.nat(65_535), (labels, type, id) => {
      const name = labels.join(".");
      expect(parseQuestion(query(name, type, id))).toMatchObject({
        id,
        name,
        type,
        isRecursionDesired: true,
        operation: 0,
      });
    }),
  );
});

test("accepts no incomplete or arbitrary bytes as a question", () => {
  const complete = query("kubernetes.default", recordTypes.A);
  for (let length = 0; length < complete.length; length += 1)
    expect(parseQuestion(complete.subarray(0, length))).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const question = parseQuestion(bytes);
      expect(question === undefined || question.bytes.length <= bytes.length).toBe(true);
    }),
  );
});

test("formats records, an empty answer with the zone, and a truncated one", () => {
  const question = parseQuestion(query("a.b", recordTypes.A));
  if (question === undefined) throw new Error("no question");
  const record = { type: "A", name: "a.b", address: "127.90.0.5" } as const;
  const found = formatResponse(question, { code: responseCodes.noError, records: [record] }, 512);
  expect(found.subarray(0, 12).toString("hex")).toBe("000785800001000100000000");
  expect(found.subarray(-4)).toEqual(Buffer.from([127, 90, 0, 5]));
  const missing = formatResponse(question, { code: responseCodes.nameError, records: [] }, 512);
  expect(missing.subarray(0, 12).toString("hex")).toBe("000785830001000000010000");
  const many = Array.from({ length: 100 }, () => record);
  const truncated = formatResponse(question, { code: 0, records: many }, 512);
  expect([truncated.length < 512, truncated.readUInt16BE(2) & 0x0200, truncated.readUInt16BE(6)]).toEqual([
    true,
    0x0200,
    0,
  ]);
});
