import { describe, expect, test } from "vitest";
import { logWithoutTimes, nodeSparkArgs, startSubmission } from "./test-submission.ts";
import { memberOf } from "./test-yarn.ts";

describe("files for YARN", () => {
  const linksOf = (body: unknown) => {
    const pairs = memberOf(body, "am-container-spec", "local-resources");
    return JSON.stringify(pairs)
      .match(/"key":"[^"]*"/g)
      ?.map((pair) => pair.slice(7, -1));
  };

  test("get their names in containers, and Python finds its modules", async () => {
    const files = {
      "/job/app.py": "p",
      "/job/mod.py": "m",
      "/job/lib.zip": "l",
      "/job/data.txt": "d",
      "/job/a.zip": "a",
    };
    const lists = ["--py-files", "mod.py,lib.zip", "--files", "data.txt#table.txt", "--archives", "a.zip#env"];
    const { yarn, ended } = startSubmission([...nodeSparkArgs, ...lists, "--jars", "app.jar,app.jar", "app.py"], {
      files,
    });
    expect(await ended).toBe(0);
    const [body] = yarn.submitted;
    expect(linksOf(body)).toEqual([
      ...["app.jar", "table.txt", "env", "app.py", "pyspark.zip", "py4j-0.10.9.9-src.zip"],
      ...["__pyfiles__/mod.py", "lib.zip", "__spark_conf__"],
    ]);
    expect(memberOf(body, "am-container-spec", "environment", "PYTHONPATH")).toBe(
      "{{PWD}}/__pyfiles__<CPS>{{PWD}}/pyspark.zip<CPS>{{PWD}}/py4j-0.10.9.9-src.zip<CPS>{{PWD}}/lib.zip",
    );
  });

  test("of an R application are its script and SparkR", async () => {
    const files = { "/job/app.R": "r", "/job/d.txt": "d", "/spark/R/lib/sparkr.zip": "zip" };
    const { yarn, ended } = startSubmission([...nodeSparkArgs, "--files", "d.txt", "app.R", "1"], { files });
    expect(await ended).toBe(0);
    const [body] = yarn.submitted;
    expect(linksOf(body)).toEqual(["d.txt", "app.R", "sparkr", "__spark_conf__"]);
    expect(memberOf(body, "am-container-spec", "local-resources", "sparkr")).toMatchObject({
      type: "ARCHIVE",
    });
    expect(memberOf(body, "am-container-spec", "commands", "command")).toContain(
      "--class 'org.apache.spark.deploy.RRunner' --primary-r-file app.R --arg 'app.R' --arg '1' --properties-file",
    );
    await expect(
      startSubmission([...nodeSparkArgs, "app.R"], { files: { "/job/app.R": "r" } }).ended,
    ).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_SPARKR",
      message: "sparkr.zip does not exist for R application in YARN mode.",
    });
    await expect(
      startSubmission([...nodeSparkArgs, "app.R"], { files, env: { SPARK_HOME: "/none" } }).ended,
    ).rejects.toMatchObject({
      message: "SPARK_HOME does not exist for R application in YARN mode.",
    });
  });

  test("include a local Spark if the cluster has none", async () => {
    const { yarn, ended, host } = startSubmission(["--class", "Main", "app.jar"]);
    expect(await ended).toBe(0);
    expect(logWithoutTimes(host)).toContain(
      "WARN Client: Neither spark.yarn.jars nor spark.yarn.archive is set, falling back to uploading libraries under SPARK_HOME.\n",
    );
    expect(linksOf(yarn.submitted[0])).toContain("__spark_libs__");
    const without = startSubmission(["--class", "Main", "app.jar"], { env: { SPARK_HOME: "/none" } });
    await expect(without.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_NO_SPARK" });
  });

  test("stay in the cluster's file system, and are public if all users can read them", async () => {
    const inCluster = {
      "/shared/spark/a.jar": "1",
      "/shared/spark/b.jar": "2",
      "/shared/app.jar": "3",
      "/mine/x.txt": "4",
    };
    const args = ["--conf", "spark.yarn.jars=hdfs:///shared/spark/*.jar", "--files", "hdfs://nn:8020/mine/x.txt"];
    const { yarn, ended } = startSubmission([...args, "--class", "Main", "hdfs:///shared/app.jar"], {
      yarn: { files: inCluster },
    });
    expect(await ended).toBe(0);
    const resource = (link: string) => memberOf(yarn.submitted[0], "am-container-spec", "local-resources", link);
    expect(resource("__spark_libs__/a.jar")).toMatchObject({
      ...{ resource: "hdfs://nn:8020/shared/spark/a.jar", visibility: "PUBLIC" },
    });
    expect(resource("__app__.jar")).toMatchObject({ resource: "hdfs://nn:8020/shared/app.jar" });
    expect(resource("x.txt")).toMatchObject({ resource: "hdfs://nn:8020/mine/x.txt", visibility: "PRIVATE" });
  });

  test("of packages are resolved after all other checks", async () => {
    const wrong = startSubmission([...nodeSparkArgs, "--packages", "nonsense", "--class", "M", "app.jar"]);
    await expect(wrong.ended).rejects.toThrow("nonsense");
    expect(wrong.yarn.requests).toEqual([]);
    const invalidArgs = ["--packages", "nonsense", "--conf", "spark.yarn.priority=x", "--class", "M", "app.jar"];
    await expect(startSubmission([...nodeSparkArgs, ...invalidArgs]).ended).rejects.toThrow("spark.yarn.priority");
    await expect(startSubmission([...nodeSparkArgs, ...invalidArgs]).ended).rejects.not.toThrow("nonsense");
  });

  test("that are missing or duplicate are all reported before any upload", async () => {
    const files = { "/job/a.txt": "a", "/job/b.txt": "b" };
    const twice = startSubmission(
      [...nodeSparkArgs, "--files", "a.txt,a.txt#c,b.txt,b.txt", "--class", "M", "app.jar"],
      {
        files,
      },
    );
    await expect(twice.ended).rejects.toMatchObject({
      issues: [
        {
          code: "SUBMIT_ERR_YARN_FILE_DUPLICATE",
          message: "Attempt to add (file:///job/a.txt#c) multiple times to the distributed cache.",
        },
        { message: "Attempt to add (file:///job/b.txt) multiple times to the distributed cache." },
      ],
    });
    expect(twice.yarn.requests).toEqual([]);
    const missing = startSubmission([...nodeSparkArgs, "--files", "none.txt", "--class", "M", "gone.jar"]);
    await expect(missing.ended).rejects.toMatchObject({
      issues: [
        { code: "SUBMIT_ERR_YARN_FILE_MISSING", message: "File file:/job/gone.jar does not exist" },
        { message: "File file:/job/none.txt does not exist" },
      ],
    });
    expect(missing.yarn.files).toEqual(new Map());
    const archive = startSubmission(["--conf", "spark.yarn.archive=local:/x.zip", "--class", "M", "app.jar"]);
    await expect(archive.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_ARCHIVE_LOCAL" });
  });
});
