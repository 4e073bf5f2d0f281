import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { testWith } from "../test-with.ts";
import { alone, contentOf, defaultForm, type Staging, sendRequest, someBytes, stageBlob } from "./staging-program.ts";

const mebibyte = 1024 * 1024;

/** Starts a server whose store is a volume of 8 MiB. `store` is a path to the volume. */
async function onSmallVolume(...options: string[]): Promise<Pick<Staging, "sendRequest" | "store">> {
  const directory = join(temporaryDirectory(), "volume");
  mkdirSync(directory);
  const args = ["staging-server", "--store", directory, "--host", "127.0.0.1", "--port", "0", ...alone, ...options];
  const script = 'mount -t tmpfs -o size=8m small "$0" && exec "$@"';
  const program = join(root, "dist", "bin", "firesteel.cjs");
  const child = spawn("unshare", ["-rm", "sh", "-c", script, directory, process.execPath, program, ...args], {
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, HOME: temporaryDirectory() },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const port = await new Promise<number>((resolve, reject) => {
    let programOutput = "";
    child.stderr.on("data", (chunk) => {
      programOutput += chunk;
      const found = /started on port (\d+)\./.exec(programOutput)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.on("close", () => reject(new Error(programOutput)));
  });
  return {
    store: `/proc/${child.pid}/root${directory}`,
    sendRequest: (method, path, requestOptions) => sendRequest(port, method, path, requestOptions),
  };
}

const createUpload = async (staging: Pick<Staging, "sendRequest">, bytes: Uint8Array) => {
  const { digest, size } = contentOf(bytes);
  const created = await staging.sendRequest("POST", "/api/v1/uploads", {
    json: { namespace: "team", digest, size },
  });
  return { created, path: created.status === 201 ? `/api/v1/uploads/${created.text("uploadId")}` : "" };
};

testWith("user namespaces")(
  "T19 a full disk is reported, leaves no partial upload, and is used again after space is freed",
  async () => {
    const staging = await onSmallVolume("--min-free", "1m");
    const [one, other] = [someBytes(5 * mebibyte, 1), someBytes(5 * mebibyte, 2)];
    const uploads = [await createUpload(staging, one), await createUpload(staging, other)];
    const sent = [];
    for (const [index, body] of [one, other].entries()) {
      const headers = { "upload-offset": 0 };
      sent.push(await staging.sendRequest("PATCH", uploads[index]?.path ?? "", { body, headers }));
    }
    expect(sent.map(({ status }) => status)).toEqual([204, 507]);
    expect(sent[1]?.code()).toBe("STORE_FULL");
    const left = readdirSync(`${staging.store}/uploads`).map((name) => name.split(".")[0]);
    expect(new Set(left).size).toBe(1);

    const filler = `${staging.store}/filler`;
    writeFileSync(filler, someBytes(2.5 * mebibyte));
    const { created } = await createUpload(staging, someBytes(mebibyte));
    expect([created.status, created.code()]).toEqual([507, "STORE_FULL"]);
    const ready = await staging.sendRequest("GET", "/readyz");
    expect([ready.status, ready.body.toString()]).toEqual([503, expect.stringContaining("The store is not writable")]);

    rmSync(filler);
    await staging.sendRequest("DELETE", uploads[0]?.path ?? "");
    expect((await staging.sendRequest("GET", "/readyz")).status).toBe(200);
    await stageBlob(staging, other);
  },
);

testWith("user namespaces")("T19 a form that exceeds the free space leaves no files", async () => {
  const staging = await onSmallVolume("--min-free", "0");
  const { body, headers } = defaultForm(someBytes(9 * mebibyte));
  const chunked = { ...headers, "transfer-encoding": "chunked" };
  for (const requestHeaders of [headers, chunked]) {
    const rejected = await staging.sendRequest("POST", "/api/v0/resources", {
      headers: requestHeaders,
      body,
    });
    expect([rejected.status, rejected.code()]).toEqual([507, "STORE_FULL"]);
    expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
  }
  const fits = await staging.sendRequest("POST", "/api/v0/resources", defaultForm(someBytes(mebibyte)));
  expect(fits.status).toBe(200);
});
