import { expect, test } from "vitest";
import { applicationText, runWithFiles } from "./test-application.ts";

const own = ["name: job", "app: local:///job.py", "image: spark:4.3.0", "profile: fast"].join("\n");
const profiles = ["profiles:", "  fast:", "    spark.executor.memory: 3g"].join("\n");
const files = { "job.yaml": own, "firesteel.yaml": profiles, "app.yaml": applicationText() };
const schedule = [
  ...["apiVersion: sparkoperator.k8s.io/v1beta2", "kind: ScheduledSparkApplication", "metadata: {name: nightly}"],
  ...["spec:", '  schedule: "0 3 * * *"', "  template:"],
  ...[
    "    type: Python",
    "    image: i",
    "    mainApplicationFile: local:///a.py",
    "    driver: {}",
    "    executor: {}",
  ],
  "    sparkVersion: 4.0.5",
].join("\n");

test("renders a file of the own format with its profile, and options of apply", async () => {
  const argv = [
    "render",
    "--json",
    "--only",
    "driver",
    "-f",
    "job.yaml",
    "-n",
    "jobs",
    "--conf",
    "spark.driver.cores=2",
  ];
  const { exit, out, error } = await runWithFiles(argv, files);
  expect([exit, error]).toEqual([0, ""]);
  const [driver, ...others] = JSON.parse(out).items;
  expect(others).toEqual([]);
  expect(driver).toMatchObject({ kind: "Pod", metadata: { namespace: "jobs" } });
  expect(driver.spec.containers[0]).toMatchObject({ image: "spark:4.3.0", resources: { requests: { cpu: "2" } } });
  const { out: yaml } = await runWithFiles(["render", "-f", "job.yaml"], files);
  expect(yaml).toContain("spark.executor.memory=3g");
});

test("renders the applications of several files as one list", async () => {
  const { exit, out } = await runWithFiles(["render", "--json", "-f", "job.yaml", "--file=app.yaml"], files);
  expect(exit).toBe(0);
  const { items } = JSON.parse(out);
  expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain("pi-driver");
  expect(items.filter(({ kind }: { kind: string }) => kind === "Pod")).toHaveLength(4);
});

test("omits schedules and suspended applications, and reports them", async () => {
  const argv = ["render", "--json", "-f", "nightly.yaml", "-f", "job.yaml"];
  const { exit, out, error } = await runWithFiles(argv, {
    "nightly.yaml": schedule,
    "job.yaml": `${own}\nsuspend: true\n`,
    "firesteel.yaml": profiles,
  });
  expect([exit, JSON.parse(out)]).toEqual([0, { apiVersion: "v1", kind: "List", items: [] }]);
  expect(error).toContain(
    "nightly.yaml: nightly is a schedule: nothing is submitted now.\nHint: Print its runs: firesteel schedule --file nightly.yaml\n",
  );
  expect(error).toContain("job.yaml: job is suspended: nothing is submitted.\n");
});

test("options of the operator and of render can follow the file", async () => {
  const argv = ["render", "-f", "app.yaml", "--reserved-keys", "warn", "--only", "driver", "--json"];
  const { exit, out } = await runWithFiles(argv, files);
  expect(exit).toBe(0);
  expect(JSON.parse(out).items).toHaveLength(1);
});
