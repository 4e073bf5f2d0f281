import { describe, expect, test } from "vitest";
import { type TestHost, testHost } from "../../../../host/test-host.ts";
import type { Pod } from "../../../../kube/types.ts";
import { testDriver } from "../../../../plan/test-driver.ts";
import { uploadsAnnotation } from "../../../../plan/uploads-annotation.ts";
import { removeAndReport } from "./remove-uploads.ts";

const id = "0a1b2c3d-0000-4000-8000-0123456789ab";

function podWith(annotation: string): Pod {
  return { metadata: { name: "driver", annotations: { [uploadsAnnotation]: annotation } } };
}

async function remove(host: TestHost, annotation: string) {
  const logged: string[] = [];
  const log = (level: string, _: string, text: string) => logged.push(`${level} ${text}`);
  const isGone = await host.settle(removeAndReport({ host, owner: testDriver(), log }, podWith(annotation)));
  return { isGone, logged };
}

describe("uploads that go with their driver", () => {
  test("are removed by the folders that its pod names", async () => {
    const host = testHost({ files: { [`/up/spark-upload-${id}/a`]: "a", "/up/other": "o" } });
    const { isGone, logged } = await remove(host, JSON.stringify([`file:///up/spark-upload-${id}`]));
    expect(isGone).toBe(true);
    expect(host.files.list("/up")).toEqual(["other"]);
    expect(logged).toEqual([`INFO Removed the uploads of driver: file:///up/spark-upload-${id}`]);
  });

  test.each([
    JSON.stringify(["file:///up", "/", `file:///up/spark-upload-${id}/..`, 7, "file:///up/spark-upload-1"]),
    JSON.stringify([`file:///up/../up/spark-upload-${id}`]),
    JSON.stringify({ folder: "/up" }),
    "no JSON",
  ])("are never anything else: %s", async (annotation) => {
    const host = testHost({ files: { [`/up/spark-upload-${id}/a`]: "a", "/up/spark-upload-1/b": "b" } });
    await remove(host, annotation);
    expect(host.files.list("/up")).toEqual([`spark-upload-${id}`, "spark-upload-1"]);
  });

  test("that cannot be removed are named", async () => {
    const host = testHost();
    const folder = `gs://b/spark-upload-${id}`;
    const { isGone, logged } = await remove(host, JSON.stringify([folder]));
    expect(isGone).toBe(false);
    expect(logged).toEqual([
      `WARN Not cleaned up: the directory ${folder} may still exist (No FileSystem for scheme "gs")`,
    ]);
  });
});
