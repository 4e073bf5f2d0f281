/** @module-tag long */

import { expect, test } from "vitest";
import { decodeProtobuf } from "./protobuf.ts";

const bytes = (number: number, content: Uint8Array) =>
  Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);

function varint(value: number): Buffer {
  return value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value % 128) + 128]), varint(value >> 7)]);
}

/** ConfigMap `c` with further bytes. */
function configMap(...more: readonly Uint8Array[]): Buffer {
  const typeMeta = Buffer.concat([bytes(1, Buffer.from("v1")), bytes(2, Buffer.from("ConfigMap"))]);
  const object = Buffer.concat([bytes(1, bytes(1, Buffer.from("c"))), ...more]);
  return Buffer.concat([Buffer.from("k8s\0"), bytes(1, typeMeta), bytes(2, object)]);
}

/** Tag of an unknown field. */
const unknown = (wireType: number) => varint(99 * 8 + wireType);
const million = 1_000_000;

// Expected errors are those of Kubernetes 1.35.4.
test.each([
  ["a varint of 2 MB", [unknown(0), Buffer.alloc(2 * million, 0xff), varint(0)], "proto: integer overflow"],
  ["a million groups without end", [Buffer.alloc(2 * million, unknown(3))], "unexpected EOF"],
  ["a group without start", [unknown(4)], "proto: ConfigMap: wiretype end group for non-group"],
  ["an unknown wire type", [unknown(6)], "proto: illegal wireType 6"],
  ["field 0", [varint(0), varint(1)], "proto: ConfigMap: illegal tag 0 (wire type 0)"],
  ["another type than the field's", [varint(2 * 8), varint(5)], "proto: wrong wireType = 0 for field Data"],
  [
    "a negative length",
    [varint(2 * 8 + 2), Buffer.alloc(9, 0x80), varint(1)],
    "proto: negative length found during unmarshaling",
  ],
  ["a length beyond the end", [varint(2 * 8 + 2), varint(100)], "unexpected EOF"],
])("rejects %s", (_, more, fault) => {
  expect(decodeProtobuf(configMap(...more))).toEqual({ fault, kind: "ConfigMap", version: "v1" });
});

test.each([
  ["a million unknown fields", [Buffer.alloc(3 * million, Buffer.concat([unknown(0), varint(0)]))]],
  ["half a million nested groups", [Buffer.alloc(million, unknown(3)), Buffer.alloc(million, unknown(4))]],
  ["an unknown group with fields", [unknown(3), bytes(1, Buffer.from("x")), unknown(4)]],
])("skips %s", (_, more) => {
  expect(decodeProtobuf(configMap(...more))).toEqual({
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } },
  });
});
