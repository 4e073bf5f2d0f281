import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatQuery,
  formatResponse,
  parseAddresses,
  parseQuestion,
  recordTypes,
  responseCodes,
} from "./dns-message.ts";

function query(name: string, type: number, id = 7): Buffer {
  return formatQuery({ id, name, type });
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

test("formats records, an empty response with the zone, and a truncated one", () => {
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

test("parses the addresses and aliases of a response, also with pointers", () => {
  const question = parseQuestion(query("a.b", recordTypes.A));
  if (question === undefined) throw new Error("no question");
  const records = [
    { type: "CNAME", name: "a.b", target: "c.d" },
    { type: "A", name: "c.d", address: "192.0.2.7" },
  ] as const;
  expect(parseAddresses(formatResponse(question, { code: 0, records }, 512))).toEqual(records);
  const pointer = Buffer.from([0xc0, 12]);
  const head = Buffer.from([0, 7, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0]);
  const record = (type: number, content: Buffer) =>
    Buffer.concat([pointer, Buffer.from([0, type, 0, 1, 0, 0, 0, 5, 0, content.length]), content]);
  const message = Buffer.concat([head, question.bytes, record(5, pointer), record(1, Buffer.from([192, 0, 2, 8]))]);
  const parsed = [
    { type: "CNAME", name: "a.b", target: "a.b" },
    { type: "A", name: "a.b", address: "192.0.2.8" },
  ];
  expect(parseAddresses(message)).toEqual(parsed);
  for (let length = 0; length < message.length; length += 1)
    expect(parsed).toEqual(expect.arrayContaining([...parseAddresses(message.subarray(0, length))]));
  const endless = Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1])]);
  expect(parseAddresses(endless)).toEqual([]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(parseAddresses(bytes).length).toBeLessThan(30);
    }),
  );
});
