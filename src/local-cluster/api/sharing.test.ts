import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sharing } from "./sharing.ts";

const variable = { name: "SPARK_USER", value: "spark" };

describe("shared objects", () => {
  test("equal the originals", { tags: "long" }, () => {
    const share = sharing();
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }))), (objects) => {
        for (const object of objects) expect(share(object)).toEqual(object);
      }),
    );
  });

  test("hold equal parts once, and managed fields of any length", () => {
    const share = sharing();
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f:${index}`, {}]));
    const pod = (name: string) => ({
      metadata: { name, managedFields: [{ manager: "a", fieldsV1: structuredClone(fields) }] },
      spec: { env: [structuredClone(variable), { name: "ID", value: name }] },
    });
    const [one, other] = [share(pod("one")), share(pod("other"))];
    expect(one.spec.env[0]).toBe(other.spec.env[0]);
    expect(one.metadata.managedFields[0]?.fieldsV1).toBe(other.metadata.managedFields[0]?.fieldsV1);
    expect(other).toEqual(pod("other"));
  });

  test("are not confused by field names that look like JSON, or by undefined fields", () => {
    const share = sharing();
    share({ a: { b: 1, c: 2 }, d: { e: null } });
    expect(share({ a: { 'b:1,"c"': 2 }, d: { e: undefined } })).toStrictEqual({
      a: { 'b:1,"c"': 2 },
      d: { e: undefined },
    });
  });
});
