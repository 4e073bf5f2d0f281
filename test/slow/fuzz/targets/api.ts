import { CronSyntaxError } from "../../../../src/cron/cron-field.ts";
import { nextTime, parseCronSchedule } from "../../../../src/cron/cron-schedule.ts";
import { findTimeZone } from "../../../../src/cron/time-zone.ts";
import { FieldSetError, parseFieldSet, printFieldSet } from "../../../../src/local-cluster/api/apply/field-set.ts";
import { isObject } from "../../../../src/local-cluster/api/json.ts";
import { DecodeError, decode } from "../../../../src/local-cluster/api/schema/decode.ts";
import { findStructType } from "../../../../src/local-cluster/api/schema/schema.ts";
import { parseFieldSelector } from "../../../../src/local-cluster/api/selectors/field-selector.ts";
import { parseLabelSelector, SelectorError } from "../../../../src/local-cluster/api/selectors/label-selector.ts";
import { StatusError } from "../../../../src/local-cluster/api/status.ts";
import { patchDocument } from "../../../../src/local-cluster/api/verbs/patch.ts";
import { parseBody } from "../../../../src/local-cluster/api/wire/body.ts";
import { decodeProtobuf } from "../../../../src/local-cluster/api/wire/protobuf.ts";
import { type FuzzTarget, isOneOf } from "../target.ts";

const document = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { a: "b" }, finalizers: ["x/y"] },
  spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 1 }] }, { name: "d" }], tolerations: [] },
};

/** Parts of requests to the embedded API. */
export const apiTargets: readonly FuzzTarget[] = [
  ...(["application/json", "application/yaml"] as const).map((type) => ({
    name: type.replace("application/", "api-"),
    isExpected: isOneOf(StatusError, DecodeError),
    run(input: Buffer) {
      const { object } = parseBody({ bytes: input, type }, { kind: "Pod" });
      decode(podType(), object);
    },
  })),
  {
    name: "protobuf",
    seeds: [protobufOf("v1", "Pod"), protobufOf("v1", "ConfigMap"), protobufOf("events.k8s.io/v1", "Event")],
    run: (input) => decodeProtobuf(input),
  },
  ...(["json", "merge", "strategic"] as const).map((type) => ({
    name: `${type}-patch`,
    isExpected: isOneOf(StatusError),
    run(input: Buffer) {
      const raw = { bytes: input, type: undefined };
      const patched = patchDocument(raw, { document, type, structure: podType() });
      checkPrototype(patched.document);
      patched.shown();
    },
  })),
  {
    name: "selectors",
    isExpected: isOneOf(SelectorError),
    run(input) {
      const text = input.toString();
      const labels = parseLabelSelector(text);
      labels({ a: "b", n: "5" });
      parseFieldSelector(text, { selectable: { "status.phase": () => "Running" } });
    },
  },
  {
    name: "cron-schedules",
    isExpected: isOneOf(CronSyntaxError),
    run: (input) => nextTime(parseCronSchedule(input.toString()), Date.UTC(2026, 0, 1), findTimeZone("Europe/Berlin")),
  },
  {
    name: "managed-fields",
    isExpected: isOneOf(SyntaxError, FieldSetError),
    run: (input) => printFieldSet(parseFieldSet(JSON.parse(input.toString()))),
  },
];

function podType() {
  const type = findStructType("v1", "Pod");
  if (type === undefined) throw new Error("There is no type Pod.");
  return type;
}

/** Checks that a document has no fields that its JSON would not have. */
function checkPrototype(value: unknown): void {
  if (isObject(value) && Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error("The patch changed the prototype.");
}

/** Builds a message with an object that has a name and an unknown field. */
function protobufOf(apiVersion: string, kind: string): Buffer {
  const field = (number: number, content: Uint8Array | string) =>
    Buffer.concat([Buffer.of(number * 8 + 2, content.length), Buffer.from(content)]);
  const metadata = field(1, Buffer.concat([field(1, "name"), field(3, "default"), Buffer.of(0x38, 5)]));
  const spec = field(
    2,
    Buffer.concat([field(2, Buffer.concat([field(1, "c"), field(2, "image")])), Buffer.of(0x28, 1)]),
  );
  const typeMeta = field(1, Buffer.concat([field(1, apiVersion), field(2, kind)]));
  return Buffer.concat([Buffer.from("k8s\0"), typeMeta, field(2, Buffer.concat([metadata, spec]))]);
}
