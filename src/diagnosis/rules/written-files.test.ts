import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, executorPod, observe } from "../test-observation.ts";

const saved =
  "26/01/02 03:04:05 INFO FileOutputCommitter: Saved output of task 'attempt_1_m_0' to file:/data/report/_temporary/0/task_1_m_0";

function executor(log: string, mountPath?: string) {
  const mounts = mountPath === undefined ? [] : [{ name: "data", mountPath }];
  const containers = [{ name: "spark-kubernetes-executor", image: "spark:4.3.0", volumeMounts: mounts }];
  return executorPod({
    phase: "Running",
    spec: { containers },
    states: { main: { running: {} } },
    logs: { main: log },
  });
}

const succeeded = () => driverPod({ phase: "Succeeded", states: { main: ended(0) } });

test("an application that succeeded is warned if it wrote where no volume is mounted", () => {
  const found = diagnose(observe({ driver: succeeded(), executors: [executor(saved)] }));
  expect(found).toMatchObject({ cause: "pod-file-written", isTerminal: false });
  expect(found?.message).toBe(
    "The application writes /data/report inside its pods, and no volume is mounted there: each pod has its own file system, whose files end with the pod.",
  );
  expect(found?.evidence).toEqual([{ in: "executorLog", text: saved }]);
});

test.each([
  ["a volume is mounted there", saved, "/data"],
  ["the result is in a bucket", saved.replace("file:/", "s3a://"), undefined],
  ["the application printed the line", `26/01/02 03:04:05 INFO Executor: x\n${saved.slice(27)}`, undefined],
])("no warning if %s", (_, log, mountPath) => {
  expect(diagnose(observe({ driver: succeeded(), executors: [executor(log, mountPath)] }))).toBeUndefined();
});

describe("without the logs of executors", () => {
  const log = "26/01/02 03:04:05 INFO FileFormatWriter: Write Job 1-2 committed. Elapsed time: 3 ms.";
  const diagnoseArguments = (...args: readonly string[]) => {
    const command = [
      "driver",
      "--properties-file",
      "/p",
      "--class",
      "org.example.Report",
      "local:///opt/app.jar",
      ...args,
    ];
    const containers = [{ name: "spark-kubernetes-driver", image: "spark:4.3.0", args: command }];
    const driver = driverPod({
      phase: "Succeeded",
      spec: { containers },
      states: { main: ended(0) },
      logs: { main: log },
    });
    return diagnose(observe({ driver }))?.message;
  };

  test.each(["/tmp/report", "file:///tmp/report", "/opt/spark/work-dir/report"])(
    "the argument %s shows where it wrote",
    (path) => {
      expect(diagnoseArguments("--fast", path)).toContain(
        `its argument ${path.replace("file://", "")} is a path inside its pods`,
      );
    },
  );

  test.each([[["/opt/data/in.csv"]], [["/tmp/report", "s3a://lake/report"]], [[]]])(
    "the arguments %j do not",
    (args) => {
      expect(diagnoseArguments(...args)).toBeUndefined();
    },
  );
});
