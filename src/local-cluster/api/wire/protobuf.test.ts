import { expect, test } from "vitest";
import { decode } from "../schema/decode.ts";
import { structType } from "../schema/schema.ts";
import { decodeProtobuf } from "./protobuf.ts";
import { encodeProtobuf } from "./protobuf-writer.ts";

test("decodes a ConfigMap from kubectl", () => {
  const bytes = Buffer.from("azhzAAoPCgJ2MRIJQ29uZmlnTWFwEg0KAwoBcBIGCgFrEgF2GgAiAA==", "base64");
  expect(decodeProtobuf(bytes)).toMatchObject({
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "p" }, data: { k: "v" } },
  });
});

test("decodes what it encodes", () => {
  const { object: pod } = decode(structType("core.Pod"), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", labels: { a: "b" }, creationTimestamp: "2026-01-31T12:00:00Z" },
    spec: {
      containers: [
        {
          name: "a",
          ports: [{ containerPort: 80 }],
          resources: { limits: { memory: "1Gi" } },
          livenessProbe: { httpGet: { port: "web" }, periodSeconds: 3 },
        },
      ],
      volumes: [{ name: "v", configMap: { name: "c", defaultMode: 420 } }],
      terminationGracePeriodSeconds: -1,
    },
  });
  const bytes = encodeProtobuf(pod) ?? new Uint8Array();
  const read = decodeProtobuf(bytes);
  expect(decode(structType("core.Pod"), "object" in read ? read.object : read.fault).object).toEqual(pod);
});

test("distinguishes other formats from truncated protobuf", () => {
  expect(decodeProtobuf(Buffer.from("not protobuf"))).toEqual({
    fault: expect.stringMatching(/does not appear to be a protobuf message/),
  });
  expect(decodeProtobuf(Buffer.from("k8s\0\x0a\x7f"))).toEqual({ fault: "unexpected EOF" });
});
