import { expect, test } from "vitest";
import { draftRequest } from "./test-draft.ts";

test("--verbose prints files, arguments and the request without secrets", async () => {
  const { host } = await draftRequest({
    conf: { "spark.my.token": "abc", "spark.a": "1" },
    more: { verbose: true, propertiesFile: "p", appArgs: ["x", "y"] },
    fields: { proxyUser: "u" },
    machine: { files: { "/w/p": "spark.p mypassword" } },
  });
  const text = host.errorText();
  expect(text).toContain("Using properties file: p\nAdding default property: spark.p=*********(redacted)\n");
  expect(text).toContain("\n  deployMode              cluster\n");
  expect(text).toContain("\n  childArgs               [x y]\n");
  expect(text).toContain("\n  (spark.my.token,*********(redacted))\n");
  expect(text).toContain("\n--main-class\nM\n--arg\nx\n--arg\ny\n--proxy-user\nu\nSpark config:\n(spark.a,1)\n");
  expect(text).not.toContain("abc");
  expect(text).not.toContain("mypassword");
});

test("--verbose hides passwords in arguments and addresses, except with exactly Spark's behavior", async () => {
  const shown = async (env: Readonly<Record<string, string>>) => {
    const { host } = await draftRequest({
      conf: { "spark.my.url": "jdbc:mysql://u:hunter1@h/db" },
      fields: { jars: "https://u:hunter2@h/x.jar", driverExtraJavaOptions: "-Dpassword=hunter3" },
      more: { verbose: true, appArgs: ["--password=hunter4", "x"] },
      machine: { env },
    });
    return host.errorText();
  };
  const text = await shown({});
  expect(text).not.toContain("hunter");
  expect(text).toContain("https://u:*********(redacted)@h/x.jar");
  expect(text).toContain("\n  childArgs               [*********(redacted) x]\n");
  const strict = await shown({ FIRESTEEL_STRICT: "1" });
  for (const secret of ["hunter1", "hunter2", "hunter3", "hunter4"]) expect(strict).toContain(secret);
});
