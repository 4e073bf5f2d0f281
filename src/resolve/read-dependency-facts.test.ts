import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { testRequest } from "../plan/test-driver.ts";
import { readDependencyFacts } from "./read-dependency-facts.ts";

const files = { "/me/a.txt": "some text", "/me/tool": { content: "#!", mode: 0o755 }, "/me/folder": null };
const settings = { "spark.files": "file:/me/a.txt,file:/me/tool,file:/me/folder,file:/me/gone" };
const digest = "sha256:b94f6f125c79e3a5ffaa826f584c10d52ada669e6762051b826b55776d05aed2";

describe("facts of a local file", () => {
  test("contain its content if all files fit into a Secret", async () => {
    const { facts: found } = await readDependencyFacts(testHost({ files }), testRequest({ settings }));
    expect(found).toMatchObject([
      { sizeBytes: 9, content: { digest, isExecutable: false, base64: btoa("some text") } },
      { sizeBytes: 2, content: { isExecutable: true, base64: btoa("#!") } },
      { sizeBytes: 0 },
      { sizeBytes: undefined },
    ]);
    expect(found.map(({ content }) => content === undefined)).toEqual([false, false, true, true]);
  });

  test("contain only its digest if the files are too large for a Secret", async () => {
    const host = testHost({ files });
    const small = { ...settings, "spark.firesteel.staging.secret.maxSize": "10" };
    const [first, second] = (await readDependencyFacts(host, testRequest({ settings: small }))).facts;
    expect(first?.content).toEqual({ digest, isExecutable: false });
    expect(second?.content?.isExecutable).toBe(true);
  });

  test("contain only its size if it is uploaded", async () => {
    const shared = { ...settings, "spark.kubernetes.file.upload.path": "/shared" };
    const { facts: found } = await readDependencyFacts(testHost({ files }), testRequest({ settings: shared }));
    expect(found.map(({ sizeBytes, content }) => [sizeBytes, content])).toEqual([
      [9, undefined],
      [2, undefined],
      [0, undefined],
      [undefined, undefined],
    ]);
  });

  test("are not available if it cannot be read", async () => {
    const host = testHost({ files });
    const readBytes = () => {
      throw new Error("EACCES: permission denied");
    };
    const machine = { ...host, files: { ...host.files, readBytes } };
    const { issues } = await readDependencyFacts(machine, testRequest({ settings }));
    const message = (path: string) =>
      `Cannot read the file of the application or its dependencies: ${path} (EACCES: permission denied)`;
    expect(issues).toMatchObject(
      ["/me/a.txt", "/me/tool"].map((path) => ({ code: "SUBMIT_ERR_FILE_UNREADABLE", message: message(path) })),
    );
  });
});
