import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { TestResponse } from "../../hadoop/test-web.ts";
import { logWithoutTimes, plainArgs, startSubmission, succeededReport } from "./test-submission.ts";

describe("waiting for an application", () => {
  test("continues while no ResourceManager responds", async () => {
    let requestCount = 0;
    const { host, ended } = startSubmission(plainArgs, {
      yarn: {
        reports: [{ state: "RUNNING" }, { state: "RUNNING" }, succeededReport],
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 2 && requestCount < 40 ? "ECONNREFUSED" : undefined;
        },
      },
    });
    expect(await ended).toBe(0);
    expect(logWithoutTimes(host)).toContain("; retrying.");
  });

  const malformedResponses: Readonly<Record<string, TestResponse>> = {
    "fails itself": { status: 500, json: { RemoteException: { exception: "E", message: "NullPointer" } } },
    "refuses all while it starts": { status: 403, text: "<title>Error 403 Forbidden</title>" },
    "has a proxy before it that knows it not": { status: 404, text: "<title>Error 404</title>" },
    "has a proxy before it with a page": { text: "<html>Sign in</html>" },
    "is busy": { status: 429 },
    "says nothing": {},
    "responds without an application": { json: [] },
    "waits for an active one": { headers: { refresh: "3" }, text: "none is active" },
  };

  test.each(Object.entries(malformedResponses))("tolerates a ResourceManager that %s", async (_, malformed) => {
    let requestCount = 0;
    const { ended, yarn } = startSubmission(plainArgs, {
      yarn: {
        reports: [{ state: "RUNNING" }, succeededReport],
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 1 && requestCount < 5 ? malformed : undefined;
        },
      },
    });
    expect([await ended, requestCount, yarn.open()]).toEqual([0, 5, 0]);
  });

  const unknown = {
    status: 404,
    json: { RemoteException: { exception: "NotFoundException", message: "not found" } },
  };

  test.each([
    [20, 0],
    [1000, "SUBMIT_ERR_YARN_APP_ENDED"],
  ])("treats an application that is unknown for a minute as ended: %i times", async (times, end) => {
    let requestCount = 0;
    const { ended, yarn } = startSubmission(plainArgs, {
      yarn: {
        reports: [{ state: "RUNNING" }, { state: "RUNNING" }, succeededReport],
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 2 && requestCount < times ? unknown : undefined;
        },
      },
    });
    expect(await ended.catch((error: unknown) => (isSubmitError(error) ? error.code : error))).toBe(end);
    expect(yarn.files).toEqual(new Map());
  });

  test("submits again to a new active ResourceManager that does not know the application", async () => {
    let requestCount = 0;
    const { ended, yarn } = startSubmission(plainArgs, {
      yarn: {
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount === 1 ? unknown : undefined;
        },
      },
    });
    expect(await ended).toBe(0);
    expect(yarn.submitted).toHaveLength(2);
    expect(yarn.submitted[1]).toEqual(yarn.submitted[0]);
  });

  test("ends after a permanent rejection, and keeps the files of an application that may run", async () => {
    const errorBody = { status: 403, json: { RemoteException: { exception: "E", message: "not you" } } };
    let requestCount = 0;
    const { ended, host, yarn } = startSubmission(plainArgs, {
      yarn: {
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 1 ? errorBody : undefined;
        },
      },
    });
    await expect(ended).rejects.toMatchObject({ code: "SUBMIT_ERR_HADOOP_REJECTED" });
    expect(logWithoutTimes(host)).toContain("Failed to contact YARN for application application_1_0001.");
    expect([yarn.killed, yarn.files.size]).toEqual([[], 2]);
  });

  test("ends at a time limit and kills the application", async () => {
    const limit = ["--conf", "spark.firesteel.startTimeout=10s"];
    const { yarn, ended, host } = startSubmission([...limit, ...plainArgs], {
      yarn: { reports: [{ state: "ACCEPTED" }] },
    });
    expect(await ended).toBe(124);
    expect(yarn.killed).toEqual(["application_1_0001"]);
    expect(logWithoutTimes(host)).toContain("it exceeded spark.firesteel.startTimeout.");
    expect(
      await startSubmission([...limit, ...plainArgs], { yarn: { reports: [{ state: "RUNNING" }, succeededReport] } })
        .ended,
    ).toBe(0);
    const run = ["--conf", "spark.firesteel.runTimeout=10s"];
    expect(await startSubmission([...run, ...plainArgs], { yarn: { reports: [{ state: "RUNNING" }] } }).ended).toBe(
      124,
    );
  });
});

describe("an interruption", () => {
  async function interrupt(args: readonly string[]) {
    const { host, yarn, ended } = startSubmission(args, { yarn: { reports: [{ state: "RUNNING" }] } });
    const ending = ended.catch(() => {});
    while (!host.errorText().includes("(state: RUNNING)")) await host.advance(100);
    host.raise("SIGINT");
    await ending;
    return { code: await ended, yarn, text: logWithoutTimes(host) };
  }

  test("does not end the application, and reports how to kill it", async () => {
    const { code, yarn, text } = await interrupt(plainArgs);
    expect(code).toBe(130);
    expect(yarn.killed).toEqual([]);
    expect(text).toContain("spark-submit --master yarn --kill application_1_0001");
  });

  test("kills the application if configured", async () => {
    const { code, yarn } = await interrupt(["--conf", "spark.firesteel.killOnInterrupt=true", ...plainArgs]);
    expect([code, yarn.killed]).toEqual([130, ["application_1_0001"]]);
  });
});
