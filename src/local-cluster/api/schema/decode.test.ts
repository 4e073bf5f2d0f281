import { describe, expect, test } from "vitest";
import { DecodeError, decode } from "./decode.ts";
import { structType } from "./schema.ts";

const pod = (fields: object) =>
  decode(structType("core.Pod"), { apiVersion: "v1", kind: "Pod", metadata: {}, ...fields });
const container = (fields: object) =>
  decode(structType("core.Container"), { apiVersion: "v1", kind: "Container", ...fields }).object;

describe("an object decoded by its type", () => {
  test("keeps only known fields and lists the others", () => {
    const { object, unknown } = pod({ spec: { containers: [{ name: "a", foo: 1 }], bar: {} }, baz: 1 });
    expect(unknown).toEqual(["spec.containers[0].foo", "spec.bar", "baz"]);
    expect(object["spec"]).toEqual({ containers: [{ name: "a", resources: {} }] });
  });

  test("normalizes quantities", () => {
    const { resources } = container({
      name: "a",
      resources: { limits: { cpu: 0.5, memory: "1024Mi" }, requests: { cpu: "1000m", memory: "0.0005" } },
    });
    expect(resources).toEqual({
      limits: { cpu: "500m", memory: "1Gi" },
      requests: { cpu: "1", memory: "1m" },
    });
  });

  test("omits empty fields, but keeps empty values that have a meaning", () => {
    const { object } = pod({
      spec: {
        containers: [],
        hostNetwork: false,
        automountServiceAccountToken: false,
        securityContext: {},
        nodeSelector: {},
        volumes: [{ name: "v", emptyDir: {} }],
      },
    });
    expect(object["spec"]).toEqual({
      containers: null,
      automountServiceAccountToken: false,
      securityContext: {},
      volumes: [{ name: "v", emptyDir: {} }],
    });
  });

  test("does not share values with its input", () => {
    const labels = { a: "b" };
    const { object } = pod({ metadata: { labels } });
    labels.a = "c";
    expect(object["metadata"]).toMatchObject({ labels: { a: "b" } });
  });

  test("keeps fields named like Object's properties", () => {
    const { object } = pod({ metadata: { labels: JSON.parse('{"__proto__":"x","constructor":"y"}') } });
    expect(JSON.stringify(object["metadata"])).toContain('{"__proto__":"x","constructor":"y"}');
  });

  test.each([
    [
      { spec: { containers: {} } },
      "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [
      { spec: { containers: [{ name: 5 }] } },
      "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string",
    ],
    [
      { metadata: { labels: { a: 1 } } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      { spec: { priority: 1.5 } },
      "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32",
    ],
    [
      { metadata: { creationTimestamp: "2026-13-01T00:00:00Z" } },
      'parsing time "2026-13-01T00:00:00Z": month out of range',
    ],
    [
      { metadata: { creationTimestamp: "today" } },
      'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
    ],
  ])("is rejected if a value has the wrong type: %j", (fields, message) => {
    expect(() => pod(fields)).toThrow(new DecodeError(message));
  });

  test("requires base64 for bytes", () => {
    const secret = (value: string) => decode(structType("core.Secret"), { data: { a: value } }).object["data"];
    expect(secret("aGk=")).toEqual({ a: "aGk=" });
    expect(() => secret("no!")).toThrow("illegal base64 data at input byte 2");
  });
});
