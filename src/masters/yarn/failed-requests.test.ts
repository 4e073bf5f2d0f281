import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { TestRequest } from "../../hadoop/test-web.ts";
import { logWithoutTimes, plainArgs, startSubmission } from "./test-submission.ts";

describe("a submission to YARN", () => {
  test("cleans up when the cluster rejects it", async () => {
    const { yarn, ended, host } = startSubmission(plainArgs, {
      yarn: {
        instead: ({ method, url }) =>
          method === "POST" && url.pathname === "/ws/v1/cluster/apps"
            ? {
                status: 400,
                json: { RemoteException: { exception: "BadRequest", message: "no such queue" } },
              }
            : undefined,
      },
    });
    await expect(ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_SUBMIT" });
    expect(yarn.files).toEqual(new Map());
    expect(logWithoutTimes(host)).toContain("Deleted staging directory");
  });

  test("cleans up after a rejection of any of its calls", async () => {
    const completeRun = startSubmission(plainArgs);
    await completeRun.ended;
    const errorBody = { RemoteException: { exception: "AccessControlException", message: "no" } };
    const isRemoval = (line: string) => line.startsWith("DELETE ");
    for (let number = 0; number < completeRun.yarn.requests.length; number += 1) {
      let left = number;
      const instead = ({ line }: TestRequest) => {
        left -= 1;
        return left === -1 && !isRemoval(line) ? { status: 403, json: errorBody } : undefined;
      };
      const { yarn, ended } = startSubmission(plainArgs, { yarn: { instead } });
      const refused = yarn.requests;
      const end = await ended.catch((error: unknown) => (isSubmitError(error) ? error.code : error));
      const { line } = refused[number] ?? { line: "" };
      // Status requests are retried.
      if (isRemoval(line) || line.startsWith("GET http://rm:8088/ws/v1/cluster/apps/")) continue;
      expect([end, line]).toEqual([expect.stringMatching(/^SUBMIT_ERR_(HADOOP_REJECTED|YARN_SUBMIT)$/), line]);
      expect([[...yarn.files.keys()], line]).toEqual([[], line]);
      expect(yarn.killed).toEqual(yarn.submitted.map(() => "application_1_0001"));
    }
  });

  test("tolerates an incomplete response to any of its calls", async () => {
    const completeRun = startSubmission(plainArgs);
    await completeRun.ended;
    for (const { line } of completeRun.yarn.requests.filter(({ url }) => url.hostname !== "dn")) {
      let isCut = false;
      const instead = (request: TestRequest) => {
        if (isCut || request.line !== line) return undefined;
        isCut = true;
        return { text: '{"app":', isCut } as const;
      };
      const { yarn, ended } = startSubmission(plainArgs, { yarn: { instead } });
      expect([await ended, [...yarn.files.keys()], yarn.open(), line]).toEqual([0, [], 0, line]);
    }
  });

  test("detects a file that was not stored completely", async () => {
    const lost = startSubmission(plainArgs, {
      yarn: { instead: ({ url }) => (url.hostname === "dn" ? {} : undefined) },
    });
    await expect(lost.ended).rejects.toThrow("no file: it accepted 3 bytes but did not store them");
    const short = { FileStatus: { type: "FILE", length: 2, modificationTime: 7, permission: "644" } };
    const half = startSubmission(plainArgs, {
      yarn: {
        instead: ({ url }) => (url.searchParams.get("op") === "GETFILESTATUS" ? { json: short } : undefined),
      },
    });
    await expect(half.ended).rejects.toThrow("2 bytes: it accepted 3 bytes but did not store them");
    expect(half.yarn.submitted).toEqual([]);
  });

  test("writes to another DataNode when one is busy", async () => {
    const targets: (string | null)[] = [];
    const { ended } = startSubmission(plainArgs, {
      yarn: {
        instead: ({ url }) => {
          if (url.searchParams.get("op") === "CREATE") targets.push(url.searchParams.get("excludedatanodes"));
          return url.hostname === "dn" && targets.length === 1 ? { status: 503 } : undefined;
        },
      },
    });
    expect(await ended).toBe(0);
    expect(targets.slice(0, 2)).toEqual([null, "dn:9864"]);
  });
});
