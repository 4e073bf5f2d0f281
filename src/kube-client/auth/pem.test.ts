import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { readPem } from "./pem.ts";

const { files } = testHost({ files: { "/a": "A", "/b": "B", "/d/c": "C" } });

test("inline data beats every file", () => {
  expect(readPem(files, "key", [{ file: "/a" }, { data: Buffer.from("D").toString("base64"), file: "/b" }])).toBe("D");
  expect(readPem(files, "key", [{ data: "", file: "/a" }, { file: "/b" }])).toBe("A");
  expect(readPem(files, "key", [{ data: "-----BEGIN X-----" }])).toBe("-----BEGIN X-----");
  expect(readPem(files, "key", [{}])).toBeUndefined();
  expect(() => readPem(files, "client key", [{ file: "/none" }])).toThrow(
    "An error has occurred. Cannot read the client key: /none (No such file or directory)",
  );
  expect(() => readPem(files, "client key", [{ file: "/d" }])).toThrow("/d (Is a directory)");
});
