import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LocalizeConfig } from "../../src/staging-client/localize-config.ts";
import { parseTokenIdentifier } from "../../src/values/delegation-token.ts";
import { localize, secret } from "../acceptance/localize.ts";
import type { Missing } from "../requirements.ts";
import { dataOf } from "../staging/push-submission.ts";
import { alone, someBytes, stageBundle, startStaging } from "../staging/staging-program.ts";
import { requires } from "../test-with.ts";
import { fetchKerberosPackage } from "./fetch-peer.ts";
import { fetchHttpFs, type HttpFs, httpFsProperties, startHttpFs } from "./http-fs.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";
import { fileOf } from "./mini-hadoop.ts";
import { remoteUrlsIn, submitToApi, tokensIn } from "./submit-to-api.ts";

const gssapi = fetchKerberosPackage();

describe("an HttpFS with Kerberos", { timeout: 300_000 }, () => {
  const kerberos = kerberosForTests({}, httpFsProperties);
  let missing: Missing | object = {};
  let started: HttpFs | undefined;
  beforeAll(async () => {
    const peer = fetchHttpFs();
    missing = peer;
    if ("directory" in peer) started = await startHttpFs(peer, kerberos.realm(), kerberos.hadoop());
  }, 1_200_000);
  beforeEach((context) => requires(missing)(context));
  afterAll(() => started?.stop());

  const uri = (path: string) => `webhdfs://${started?.authority}${path}`;
  const withTicket = () => kerberos.environment({ KRB5CCNAME: kerberos.realm().ticket("ann") });
  const withKeytab = () => ["--principal", "ann", "--keytab", kerberos.realm().keytab("ann")];
  const submit = (args: readonly string[], env: Readonly<Record<string, string>> = withTicket()) =>
    submitToApi(args, env);
  const upload = (user = "ann") => ["--conf", `spark.kubernetes.file.upload.path=${uri(`/user/${user}/up`)}`];
  const script = (text = "print(1)\n") => fileOf(kerberos.hadoop().directory, "job.py", text);

  /** Returns the path of the uploaded script in HDFS. */
  function uploadedTo(stderr: string): string {
    const [, path = ""] = /Uploading file: \S+job\.py to dest: webhdfs:\/\/[^/]+(\S+)\.\.\./.exec(stderr) ?? [];
    return path;
  }

  test.for([
    ["a ticket, by curl", () => [], {}],
    ["a keytab, by kinit and curl", () => withKeytab(), {}],
    ["a keytab, by the package kerberos", () => withKeytab(), gssapi],
  ] as const)("receives uploads with %s", async ([, args, peer], context) => {
    requires(peer)(context);
    const withPackage = "directory" in peer ? { NODE_PATH: join(peer.directory, "node_modules") } : {};
    const login = args();
    const env = { ...(login.length === 0 ? withTicket() : kerberos.environment()), ...withPackage };
    const text = `print("${"x".repeat(500_000)}")\n`;
    const { exit, stderr } = await submit([...login, ...upload(), script(text)], env);
    expect(exit, stderr).toBe(0);
    expect(kerberos.request(`${uploadedTo(stderr)}?op=OPEN`)).toBe(text);
  });

  test("receives the uploads of another user", async () => {
    const { exit, stderr } = await submit([...upload("bob"), "--proxy-user", "bob", script()]);
    expect(exit, stderr).toBe(0);
    expect(kerberos.request(`${uploadedTo(stderr)}?op=GETFILESTATUS`)).toContain('"owner":"bob"');
  });

  test("issues a token of its own besides that of the HDFS", async () => {
    const submitted = await submit([
      "--conf",
      `spark.kerberos.access.hadoopFileSystems=${uri("")}`,
      "local:///opt/job.py",
    ]);
    expect(submitted.exit, submitted.stderr).toBe(0);
    const [own, hdfs] = [...tokensIn(submitted).values()];
    expect([own?.kind, hdfs?.kind]).toEqual(["WEBHDFS delegation", "HDFS_DELEGATION_TOKEN"]);
    expect(own?.service).toBe(`127.0.0.1:${new URL(uri("/")).port}`);
    expect(parseTokenIdentifier(own?.identifier ?? new Uint8Array())).toMatchObject({ owner: "ann", renewer: "ann" });
  });

  test("serves the remote files of an init container by its token", async () => {
    kerberos.request("/user/ann/remote.txt?op=CREATE&overwrite=true", ["--fail", "--upload-file", script("remote\n")]);
    const initContainer = [
      ...["--conf", "spark.firesteel.staging.remoteFiles=initContainer"],
      ...["--conf", "spark.firesteel.staging.initContainer.image=init"],
    ];
    const file = ["--files", uri("/user/ann/remote.txt")];
    const { exit, stderr, objects } = await submit([...initContainer, ...file, "local:///opt/job.py"]);
    expect(exit, stderr).toBe(0);
    expect(remoteUrlsIn(objects)).toEqual([
      expect.stringContaining(`${started?.authority}/webhdfs/v1/user/ann/remote.txt`),
    ]);
    const { sources }: LocalizeConfig = JSON.parse(dataOf(objects, "-deps-conf", "localize.json"));
    const urlsFile = secret(JSON.stringify(remoteUrlsIn(objects).map((url) => [url])));
    const init = localize(sources.map((source) => (source.kind === "remote" ? { ...source, urlsFile } : source)));
    expect(await init.program.ended).toMatchObject({ exit: 0 });
    expect(readFileSync(join(init.directory, "files/remote.txt"), "utf8")).toBe("remote\n");
  });

  test("has the store of a staging server", async () => {
    const staging = await startStaging(alone, { store: uri("/user/ann/store"), env: withTicket() });
    const bytes = someBytes(5_000_000);
    const { path, reader } = await stageBundle(staging, bytes);
    const { body } = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    expect(body.equals(bytes)).toBe(true);
  });

  test("gets nothing without a ticket, which is one error", async () => {
    const { exit, stderr, objects } = await submit([...upload(), script()], kerberos.environment());
    expect(exit).toBe(1);
    expect(stderr).toContain("Error: The Kerberos login failed for ");
    expect(stderr.match(/Error:/g)).toHaveLength(1);
    expect(stderr).not.toContain("Uploading file");
    expect(objects).toEqual([]);
  });
});
