import { expect, test } from "vitest";
import type { StepConf } from "../../../spec/user-steps/user-step.ts";
import { connectServerResource, connectServerStep } from "./server-step.ts";

const conf: StepConf = {
  ...{ role: "driver", appName: "notebook", appId: "spark-1", mainClass: "", appArgs: [], namespace: "jobs" },
  ...{ podName: "p", resourceNamePrefix: "notebook-1", sparkVersion: "4.3.0", labels: {}, settings: {} },
};

test("the driver gets the program as a file, and a label with the port of the server", () => {
  const { labels, mounts, resources } = connectServerStep.contribute?.(conf) ?? {};
  expect(labels).toEqual({ "firesteel.dev/connect-server": "15002" });
  expect(connectServerResource).toBe(`local://${mounts?.[0]?.mountPath}/server.py`);
  expect(resources).toMatchObject([
    {
      metadata: { name: "notebook-1-connect-server" },
      data: { "server.py": expect.stringContaining("service.start(") },
    },
  ]);
  const settings = { "spark.connect.grpc.binding.port": "15010" };
  expect(connectServerStep.contribute?.({ ...conf, settings }).labels).toEqual({
    "firesteel.dev/connect-server": "15010",
  });
});
