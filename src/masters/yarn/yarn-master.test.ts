import { describe, expect, test } from "vitest";
import { logWithoutTimes, nodeSparkArgs, plainArgs, startSubmission, succeededReport } from "./test-submission.ts";
import { memberOf, testYarnSite } from "./test-yarn.ts";

test("--verbose shows the client that Apache's front end would start", async () => {
  const files = { "/job/a.jar": "", "/job/app.py": "" };
  const started = async (args: readonly string[]) => {
    const { host, ended } = startSubmission(args, { files, verbose: true, yarn: { reports: [succeededReport] } });
    await ended;
    const text = host.errorText();
    return text.slice(text.indexOf("Main class:")).replace(/Spark config:[\s\S]*(?=Classpath)/, "");
  };
  expect(await started(["--jars", "a.jar", ...plainArgs, "1", "two words"])).toMatch(
    [
      ...["Main class:", "org.apache.spark.deploy.yarn.YarnClusterApplication", "Arguments:", "--jar"],
      ...["file:/job/app.jar", "--class", "Main", "--arg", "1", "--arg", "two words"],
      ...["Classpath elements:", "file:/job/app.jar", "file:///job/a.jar", "\n\n"],
    ].join("\n"),
  );
  const { host, ended } = startSubmission([...nodeSparkArgs, "app.py"], { files, verbose: true });
  await ended;
  expect(host.errorText()).toContain("\n(spark.yarn.isPython,true)\n");
  expect(await started([...nodeSparkArgs, "app.py"])).toMatch(
    /Arguments:\n--primary-py-file\nfile:\/job\/app\.py\n--class\norg\.apache\.spark\.deploy\.PythonRunner\nClasspath elements:\n\n/,
  );
});

describe("a submission to YARN", () => {
  test("logs the assigned ID as the Spark line does", async () => {
    const { host, ended } = startSubmission(plainArgs, { env: { FIRESTEEL_SPARK_VERSION: "3.5.9" } });
    expect(await ended).toBe(0);
    expect(host.errorText()).not.toContain("is assigned");
    expect(host.errorText()).toContain("Submitting application application_1_0001 to ResourceManager");
  });

  test("logs its progress in Spark's format, and ends with the application", async () => {
    const { host, yarn, ended } = startSubmission([...plainArgs, "a b", "`c`"]);
    expect(await ended).toBe(0);
    expect(logWithoutTimes(host)).toContain(`INFO Client: Application ID is assigned: application_1_0001
INFO Client: Verifying our application has not requested more than the maximum memory capability of the cluster (4096 MB per container)
INFO Client: Will allocate AM container, with 1408 MB memory including 384 MB overhead
INFO Client: Setting up container launch context for our AM
INFO Client: Setting up the launch environment for our AM container
INFO Client: Preparing resources for our AM container
INFO Client: Uploading resource file:/job/app.jar -> hdfs://nn:8020/user/ann/.sparkStaging/application_1_0001/app.jar
INFO Client: Uploading resource __spark_conf__.zip -> hdfs://nn:8020/user/ann/.sparkStaging/application_1_0001/__spark_conf__.zip
INFO Client: Submitting application application_1_0001 to ResourceManager
INFO YarnClientImpl: Submitted application application_1_0001
`);
    expect(logWithoutTimes(host)).toContain(
      "INFO Client: Application report for application_1_0001 (state: FINISHED)\n",
    );
    expect(logWithoutTimes(host)).toContain("INFO Client: Deleted staging directory");
    const [body] = yarn.submitted;
    expect(body).toMatchObject({
      "application-id": "application_1_0001",
      "application-name": "Main",
      "application-type": "SPARK",
      queue: "default",
      resource: { memory: 1408, vCores: 1 },
    });
    const resources = (link: string) => memberOf(body, "am-container-spec", "local-resources", link);
    const directory = "hdfs://nn:8020/user/ann/.sparkStaging/application_1_0001";
    expect(resources("__app__.jar")).toEqual({
      ...{ resource: `${directory}/app.jar`, type: "FILE", visibility: "PRIVATE", size: 3, timestamp: 7 },
    });
    expect(resources("__spark_conf__")).toMatchObject({ type: "ARCHIVE", visibility: "PRIVATE" });
    const command = memberOf(body, "am-container-spec", "commands", "command");
    expect(command).toContain(
      "org.apache.spark.deploy.yarn.ApplicationMaster --class 'Main' --jar file:/job/app.jar --arg 'a b' --arg '\\`c\\`' --properties-file {{PWD}}/__spark_conf__/__spark_conf__.properties",
    );
    expect(yarn.files).toEqual(new Map());
  });

  test("reports the failure of an application, with the driver's exit code if available", async () => {
    const failed = { state: "FINISHED", finalStatus: "FAILED" };
    const specified = { ...failed, diagnostics: "User application exited with status 7" };
    expect(await startSubmission(plainArgs, { yarn: { reports: [specified] } }).ended).toBe(7);
    const strict = startSubmission(plainArgs, {
      yarn: { reports: [{ state: "RUNNING" }, specified] },
      env: { FIRESTEEL_STRICT: "1" },
    });
    await expect(strict.ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_APP_ENDED",
      message: "Application application_1_0001 finished with failed status",
    });
    expect(logWithoutTimes(strict.host)).toContain(
      "ERROR Client: Application diagnostics message: User application exited with status 7\n",
    );
    await expect(
      startSubmission(plainArgs, { yarn: { reports: [{ state: "RUNNING" }, failed] } }).ended,
    ).rejects.toThrow("finished with failed status");
    const killed = { state: "KILLED", finalStatus: "KILLED" };
    await expect(
      startSubmission(plainArgs, { yarn: { reports: [{ state: "RUNNING" }, killed] } }).ended,
    ).rejects.toThrow("Application application_1_0001 is killed");
  });

  test("does not wait if waiting is disabled", async () => {
    const args = ["--conf", "spark.yarn.submit.waitAppCompletion=false", ...plainArgs];
    const { host, ended, yarn } = startSubmission(args);
    expect(await ended).toBe(0);
    expect(logWithoutTimes(host)).toContain(
      "(state: ACCEPTED)\nINFO Client: \n\t client token: N/A\n\t diagnostics: N/A\n",
    );
    expect([...yarn.files.keys()]).toHaveLength(2);
    // YARN rejects it after the submission's response.
    const late = { state: "FAILED", diagnostics: "unknown queue: nowhere" };
    await expect(startSubmission(args, { yarn: { reports: [late] } }).ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_SUBMIT",
      message: "Failed to submit application_1_0001 to YARN : unknown queue: nowhere",
    });
    const ending = { state: "FINISHED", finalStatus: "FAILED" };
    expect(await startSubmission(args, { yarn: { reports: [ending] } }).ended).toBe(0);
  });

  test("keeps Firesteel's settings from the driver, and rejects unknown ones", async () => {
    const steering = ["--conf", "spark.firesteel.killOnInterrupt=true"];
    const wait = ["--conf", "spark.yarn.submit.waitAppCompletion=false"];
    const { yarn, ended } = startSubmission([...steering, ...wait, ...plainArgs]);
    await ended;
    const archive = [...yarn.files].find(([path]) => path.endsWith("__spark_conf__.zip"))?.[1];
    const text = Buffer.from(archive ?? []).toString("latin1");
    expect(text).toContain("spark.yarn.submit.waitAppCompletion=false");
    expect(text).not.toContain("spark.firesteel");
    const unknown = startSubmission(["--conf", "spark.firesteel.killOnInterupt=true", ...plainArgs]);
    await expect(unknown.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_SETTING_UNKNOWN" });
  });

  test("sends the properties of Hadoop's files and of spark.hadoop.*, without Hadoop's defaults", async () => {
    const settings = ["--conf", "spark.hadoop.own.key=1", "--conf", "spark.yarn.submit.waitAppCompletion=false"];
    const { yarn, ended } = startSubmission([...settings, ...plainArgs], { site: { "site.key": "2" } });
    await ended;
    const archive = [...yarn.files].find(([path]) => path.endsWith("__spark_conf__.zip"))?.[1];
    const [, xml = ""] = Buffer.from(archive ?? [])
      .toString("latin1")
      .split("__spark_hadoop_conf__.xml");
    const names = [...xml.slice(0, xml.indexOf("</configuration>")).matchAll(/<name>(.*?)<\/name>/g)].map(
      ([, name]) => name,
    );
    expect(names.sort()).toEqual([...Object.keys(testYarnSite), "own.key", "site.key"].sort());
  });
});
