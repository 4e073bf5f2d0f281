import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TestChild } from "../../../host/test-children.ts";
import type { TestHost } from "../../../host/test-host.ts";
import { draftProblems, draftRequest, type TestDraft } from "../test-draft.ts";

const version = { "spark.firesteel.pythonEnv.version": "3.10" };
const upload = {
  "spark.kubernetes.file.upload.path": "file:///shared",
  // No registry listens there.
  "spark.kubernetes.container.image": "127.0.0.1:1/custom:1",
};
const archive = /^file:\/\/\/c\/python-env\/[0-9a-f]{32}\/env\.tar\.gz#python-env$/;

/** Programs of a machine with Python 3.11 and uv. */
function runProgram({ files }: TestHost, { command, args, write, exit }: TestChild): unknown {
  if (!["uv", "python3", "tar"].includes(command)) return "missing";
  if (command === "tar") files.write(args[1] ?? "", "archive");
  if (args.includes("-c")) write(1, "3.11\n");
  return exit(0);
}

function draft(conf: Readonly<Record<string, string>>, more: Partial<TestDraft> = {}): TestDraft {
  const files = {
    "/w/requirements.txt": "numpy",
    "/w/env.tar.gz": "archive",
    "/w/venv/pyvenv.cfg": "",
    "/w/venv/lib/python3.11/site-packages/a.py": "",
    "/w/conda/bin/python": "",
  };
  return {
    conf: { ...upload, ...conf },
    resource: "local:///app.py",
    machine: { env: { FIRESTEEL_CACHE: "/c" }, files },
    spawn: runProgram,
    ...more,
  };
}

const env = (path: string) => ({ "spark.firesteel.pythonEnv": path });

async function settingsOf(submission: TestDraft) {
  const { request, host, warnings } = await draftRequest(submission);
  const text = (key: string) => request.conf.text(key);
  return { archives: text("spark.archives"), python: text("spark.pyspark.python"), host, warnings };
}

describe("the Python environment of a submission", () => {
  test("is an archive, whose interpreter driver and executors use", async () => {
    const { archives, python, warnings } = await settingsOf(draft(env("env.tar.gz")));
    expect(archives).toBe("file:///w/env.tar.gz#python-env");
    expect(python).toBe("./python-env/bin/python");
    expect(warnings).toContain("Driver and executors use the Python environment /w/env.tar.gz");
  });

  test("is the last archive of several", async () => {
    const submission = draft(env("env.tar.gz"), { fields: { archives: "local:///data.zip#data" } });
    expect((await settingsOf(submission)).archives).toBe("local:///data.zip#data,file:///w/env.tar.gz#python-env");
  });

  test.each(["venv", "conda"])("is packed from the directory %s", async (path) => {
    const { archives } = await settingsOf(draft(env(path)));
    expect(archives).toMatch(archive);
  });

  test("is built for the Python and the processors of the settings", async () => {
    const selector = { "spark.kubernetes.node.selector.kubernetes.io/arch": "arm64" };
    const { archives, host } = await settingsOf(draft({ ...env("requirements.txt"), ...version, ...selector }));
    expect(archives).toMatch(archive);
    expect(host.errorText()).toContain("for Python 3.10 on aarch64 with uv");
    const platform = { "spark.firesteel.pythonEnv.platform": "x86_64" };
    const other = await settingsOf(draft({ ...env("requirements.txt"), ...version, ...selector, ...platform }));
    expect(other.host.errorText()).toContain("for Python 3.10 on x86_64 with uv");
  });

  test("is not built if the image's Python is not known (SUBMIT_ERR_PYTHON_ENV_VERSION)", async () => {
    expect(await draftProblems(draft(env("requirements.txt")))).toEqual([
      "SUBMIT_ERR_PYTHON_ENV_VERSION: The environment cannot be built: the release of Python in the image 127.0.0.1:1/custom:1 is not known, and spark.firesteel.pythonEnv.version is not set. Its registry did not respond: connect ECONNREFUSED 127.0.0.1:1.",
    ]);
  });

  test("is built for the Python that the registry of the image names, with the credentials of docker login", async () => {
    const requests: string[] = [];
    const server = createServer(({ url = "", headers }, response) => {
      requests.push(`${url} ${headers.authorization ?? "-"}`);
      const isLoggedIn = headers.authorization === `Basic ${Buffer.from("me:secret").toString("base64")}`;
      response.writeHead(isLoggedIn ? 200 : 401, { "www-authenticate": "Basic realm=x" });
      const body = url.includes("blobs")
        ? { config: { Env: ["PYTHON_VERSION=3.12.4"] } }
        : { config: { digest: "sha256:1" } };
      response.end(isLoggedIn ? JSON.stringify(body) : "");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const login = JSON.stringify({ auths: { [host]: { auth: Buffer.from("me:secret").toString("base64") } } });
    const conf = { ...env("requirements.txt"), "spark.kubernetes.container.image": `${host}/team/spark:1` };
    const submission = draft(conf);
    const {
      archives,
      warnings,
      host: machine,
    } = await settingsOf({
      ...submission,
      machine: {
        ...submission.machine,
        env: { FIRESTEEL_CACHE: "/c", DOCKER_CONFIG: "/docker" },
        files: { ...submission.machine?.files, "/docker/config.json": login },
      },
    });
    expect(archives).toMatch(archive);
    expect(machine.errorText()).toContain("for Python 3.12 on x86_64 with uv");
    expect(warnings).toContain(`The image ${host}/team/spark:1 has Python 3.12, as its registry says`);
    expect(requests[0]).toBe("/v2/team/spark/manifests/1 -");
    expect(requests.at(-1)).toContain("/v2/team/spark/blobs/sha256:1 Basic ");
  });

  test("is not packed for another Python (SUBMIT_ERR_PYTHON_ENV_MISMATCH)", async () => {
    expect(await draftProblems(draft({ ...env("venv"), ...version }))).toEqual([
      "SUBMIT_ERR_PYTHON_ENV_MISMATCH: The environment /w/venv is for Python 3.11, but the image has Python 3.10.",
    ]);
  });

  test("excludes another interpreter, and its problems are reported together", async () => {
    const conf = {
      ...env("none"),
      "spark.firesteel.pythonEnv.version": "2.7",
      "spark.pyspark.python": "python3",
      "spark.pyspark.driver.python": "python3",
    };
    expect((await draftProblems(draft(conf))).map((problem) => problem.replace(/:.*/s, ""))).toEqual([
      ...["SUBMIT_ERR_SETTING_VALUE", "SUBMIT_ERR_PYTHON_ENV"],
      ...["SUBMIT_ERR_OPTIONS_EXCLUSIVE", "SUBMIT_ERR_OPTIONS_EXCLUSIVE"],
    ]);
  });

  test("of the embedded cluster is for the local Python", async () => {
    const openEmbedded = async () => ({
      ...{ url: "https://127.90.0.1:4000", certificateAuthority: "PEM", token: "t", machineName: undefined },
      driverMaster: "https://127.90.0.1:4000",
      defaults: { image: "spark:4.3.0", serviceAccountName: "spark", uploadPath: "/up" },
    });
    const submission = draft(env("requirements.txt"), {
      fields: { master: "k8s://embedded" },
      input: { openEmbedded },
    });
    const own = { ...submission, conf: env("requirements.txt") };
    expect((await settingsOf(own)).host.errorText()).toContain("for Python 3.11 on x86_64 with uv");
    const loaded = {
      ...submission,
      conf: { ...env("requirements.txt"), "spark.kubernetes.container.image": "custom:1" },
    };
    expect((await draftProblems(loaded))[0]).toContain("SUBMIT_ERR_PYTHON_ENV_VERSION");
  });
});
