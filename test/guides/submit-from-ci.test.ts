import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { accountCredentials } from "../account-credentials.ts";
import { pageBlocks } from "../page-blocks.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { ciMachine, parseWorkflow, type Step } from "./ci-steps.ts";

const page = "docs/submit-from-ci.md";
const [kubeconfig = "", workflow = "", gitlab = ""] = pageBlocks(page, "yaml");
const [settings = ""] = pageBlocks(page, "properties");
const [script = ""] = pageBlocks("docs/spark-in-ci.md", "python");
const cluster = sparkCluster();

interface GitlabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly after_script: readonly string[];
}

function parseJobs(text: string): Readonly<Record<string, GitlabJob>>;
function parseJobs(text: string): unknown {
  return load(text);
}

/** Replaces the page's example address by that of the embedded cluster. */
function withAddress(text: string): string {
  return text.replace("https://api.example.com:6443", cluster.url());
}

/** Prepares the namespace, and a machine with a checkout of the page's files. Returns the kubeconfig of the page's account, too. */
async function prepare() {
  expect(await cluster.firesteel("setup", "namespace", "jobs")).toMatchObject({ exit: 0 });
  const api = await cluster.api();
  const { token, authority } = await accountCredentials(api, { namespace: "jobs", name: "spark-submitter" });
  const secret = withAddress(kubeconfig).replace("BASE64", authority).replace("TOKEN", token);
  return { api, secret, machine: ciMachine({ "job.py": script, "spark.conf": withAddress(settings) }) };
}

/** Lists the names of the drivers in the namespace. */
async function drivers(api: Awaited<ReturnType<typeof prepare>>["api"]): Promise<readonly (string | undefined)[]> {
  const { body } = await api.call("GET", "/api/v1/namespaces/jobs/pods?labelSelector=spark-role%3Ddriver");
  return body.items.map(({ metadata }) => metadata.name);
}

/** Prepares a run of the page's workflow. */
async function prepareWorkflow(runId: string) {
  const { api, secret, machine } = await prepare();
  const values = { "github.run_id": runId, "secrets.SPARK_KUBECONFIG": "$SECRET" };
  const [job] = Object.values(parseWorkflow(workflow, values).jobs);
  const named = (name: string) => job?.steps.find((step) => step.name === name) ?? {};
  const envOf = ({ env = {} }: Step) => {
    const own = Object.entries(env).map(([key, value]) => [key, value.replace("$SECRET", secret)]);
    return { ...job?.env, ...Object.fromEntries(own) };
  };
  const start = (name: string) => machine.start(named(name).run ?? "exit 1", envOf(named(name)));
  const run = async (...names: readonly string[]) => {
    let output = "";
    for (const name of names) {
      const ended = await start(name).ended;
      expect(ended.exit, ended.output).toBe(0);
      output = ended.output;
    }
    return output;
  };
  return { api, start, run };
}

describe("the workflow for GitHub Actions", () => {
  test("submits the job, and finds its driver when it runs again", async () => {
    const { api, run } = await prepareWorkflow("100");
    await run("Install", "Log in");
    expect(await run("Check")).toMatch(/^ok +admission/m);
    expect(await run("Submit")).toContain("The sum up to 1000 is 500500.");
    const again = await run("Submit");
    expect(again).toContain("adopting jobs:totals-100 (phase: Succeeded)");
    expect(again).toContain("The sum up to 1000 is 500500.");
    expect(await drivers(api)).toContain("totals-100");
  });

  test("leaves the driver running when it is cancelled, until the last step deletes it", async () => {
    const { api, start, run } = await prepareWorkflow("200");
    await run("Install", "Log in");
    const step = start("Submit");
    await expect.poll(step.output, { timeout: 120_000 }).toContain("pod name: totals-200");
    step.interrupt();
    const { exit, output } = await step.ended;
    expect([exit, output]).toEqual([130, expect.stringContaining("firesteel attach")]);
    expect(await drivers(api)).toContain("totals-200");
    await run("Delete the driver");
    await expect.poll(() => drivers(api), { timeout: 60_000 }).not.toContain("totals-200");
  });
});

test("the job for GitLab submits the job, and deletes its driver if it did not succeed", async () => {
  const { api, secret, machine } = await prepare();
  const [job] = Object.values(parseJobs(gitlab));
  const file = `${machine.home}/kubeconfig`;
  await machine.run("npm install --global firesteel");
  await machine.run('printf "%s" "$TEXT" > "$KUBECONFIG"', { TEXT: secret, KUBECONFIG: file });
  const driver = (job?.variables["DRIVER"] ?? "").replace("$CI_PIPELINE_ID", "300");
  const env = { KUBECONFIG: file, DRIVER: driver };
  const { exit, output } = await machine.run(job?.script.join("\n") ?? "", env);
  expect(output).toContain("The sum up to 1000 is 500500.");
  expect(exit).toBe(0);
  const after = (CI_JOB_STATUS: string) => machine.run(job?.after_script.join("\n") ?? "", { ...env, CI_JOB_STATUS });
  expect(await after("success")).toMatchObject({ exit: 0 });
  expect(await drivers(api)).toContain("totals-300");
  expect(await after("canceled")).toMatchObject({ exit: 0 });
  await expect.poll(() => drivers(api), { timeout: 60_000 }).not.toContain("totals-300");
});
