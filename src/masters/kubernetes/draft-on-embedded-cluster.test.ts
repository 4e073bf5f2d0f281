import { describe, expect, test } from "vitest";
import type { ResolveInput } from "./draft-request.ts";
import { draftProblems, draftRequest } from "./test-draft.ts";

describe("the embedded cluster", () => {
  const openEmbedded: NonNullable<ResolveInput["openEmbedded"]> = async ({ sparkVersion }) => ({
    url: "https://127.90.0.1:4000",
    certificateAuthority: "PEM",
    token: "t",
    driverMaster: "https://127.90.0.1:4000",
    machineName: "host.firesteel.internal",
    defaults: {
      image: `spark:${sparkVersion ?? "4.2.1"}`,
      serviceAccountName: "spark",
      uploadPath: "/up",
    },
  });
  const fields = { master: "k8s://embedded" };

  test("is opened for its master, and provides defaults", async () => {
    const { request } = await draftRequest({ fields, input: { openEmbedded } });
    expect(request.apiServer).toBe("https://127.90.0.1:4000");
    expect(request.access).toMatchObject({ token: "t", driverMaster: "https://127.90.0.1:4000" });
    expect(request.conf.text("spark.master")).toBe("k8s://https://127.90.0.1:4000");
    expect(request.conf.text("spark.kubernetes.container.image")).toBe("spark:4.2.1");
    expect(request.conf.text("spark.kubernetes.file.upload.path")).toBe("/up");
    expect(request.conf.version.text).toBe("4.2.1");
  });

  test("gets the specified version, and keeps specified settings", async () => {
    const account = "spark.kubernetes.authenticate.driver.serviceAccountName";
    const conf = { "spark.firesteel.sparkVersion": "4.0", [account]: "mine" };
    const { request } = await draftRequest({ fields, conf, input: { openEmbedded } });
    expect(request.conf.text("spark.kubernetes.container.image")).toBe("spark:4.0");
    expect(request.conf.text(account)).toBe("mine");
  });

  test("gives the driver a directory for Ivy that it can write, unless the settings name one", async () => {
    const ivy = async (conf: Record<string, string>) =>
      (await draftRequest({ fields, conf, input: { openEmbedded } })).request.conf.text("spark.jars.ivy");
    expect(await ivy({})).toBe("/tmp/.ivy2");
    expect(await ivy({ "spark.jars.ivy": "/data/ivy" })).toBe("/data/ivy");
    expect(await ivy({ "spark.jars.ivySettings": "/ivy.xml" })).toBeUndefined();
  });

  test.each([
    "spark.firesteel.staging.server",
    "spark.kubernetes.resourceStagingServer.uri",
    "spark.firesteel.staging.s3.path",
  ])("has no directory for uploads if %s chooses another transport", async (key) => {
    const { request } = await draftRequest({ fields, conf: { [key]: "s3://bucket/staging" }, input: { openEmbedded } });
    expect(request.conf.text("spark.kubernetes.file.upload.path")).toBeUndefined();
  });

  test("names this machine for a staging server at its 127.0.0.1, and warns about other URLs that mean the pod", async () => {
    const conf = {
      "spark.firesteel.staging.server": "http://127.0.0.1:8080",
      "spark.hadoop.fs.s3a.endpoint": "http://localhost:9000",
    };
    const { request, warnings } = await draftRequest({ fields, conf, input: { openEmbedded } });
    expect(request.conf.text("spark.firesteel.staging.server.internalUrl")).toBe("http://host.firesteel.internal:8080");
    expect(warnings).toEqual([
      "spark.hadoop.fs.s3a.endpoint has a URL with the host localhost, which in a pod is the pod itself. For a server on this machine, use host.firesteel.internal.",
    ]);
  });

  test("is not opened for an invalid command line", async () => {
    const input = { openEmbedded: () => Promise.reject(new Error("opened")) };
    expect(await draftProblems({ fields: { ...fields, driverCores: "0" }, input })).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE: Driver cores must be a positive number",
    ]);
  });
});
