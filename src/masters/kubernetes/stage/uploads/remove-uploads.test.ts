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
  const isRemoved = await host.settle(removeAndReport({ host, owner: testDriver(), log }, podWith(annotation)));
  return { isRemoved, logged };
}

describe("uploads of a driver", () => {
  test("are removed from the directories in its annotation", async () => {
    const host = testHost({ files: { [`/up/spark-upload-${id}/a`]: "a", "/up/other": "o" } });
    const { isRemoved, logged } = await remove(host, JSON.stringify([`file:///up/spark-upload-${id}`]));
    expect(isRemoved).toBe(true);
    expect(host.files.list("/up")).toEqual(["other"]);
    expect(logged).toEqual([`INFO Removed the uploads of driver: file:///up/spark-upload-${id}`]);
  });

  test.each([
    JSON.stringify(["file:///up", "/", `file:///up/spark-upload-${id}/..`, 7, "file:///up/spark-upload-1"]),
    JSON.stringify([`file:///up/../up/spark-upload-${id}`]),
    JSON.stringify({ directory: "/up" }),
    "no JSON",
  ])("are never other directories: %s", async (annotation) => {
    const host = testHost({ files: { [`/up/spark-upload-${id}/a`]: "a", "/up/spark-upload-1/b": "b" } });
    await remove(host, annotation);
    expect(host.files.list("/up")).toEqual([`spark-upload-${id}`, "spark-upload-1"]);
  });

  test("that cannot be removed are reported", async () => {
    const host = testHost();
    const directory = `gs://b/spark-upload-${id}`;
    const { isRemoved, logged } = await remove(host, JSON.stringify([directory]));
    expect(isRemoved).toBe(false);
    expect(logged).toEqual([
      `WARN Not cleaned up: the directory ${directory} may still exist (No FileSystem for scheme "gs")`,
    ]);
  });
});
