import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { alone, ask, contentOf, type Staging, someBytes, stageBlob, usualForm } from "./staging-program.ts";

const mebibyte = 1024 * 1024;

/** A machine that lets us mount a small volume of our own. */
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

/** A server whose store is a volume of 8 MiB; `store` is a way to it from here. */
async function onSmallVolume(...options: string[]): Promise<Pick<Staging, "ask" | "store">> {
  const directory = join(temporaryDirectory(), "volume");
  mkdirSync(directory);
  const args = [
    "staging-server",
    "--store",
    directory,
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    ...alone,
    ...options,
  ];
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
    ask: (method, path, given) => ask(port, method, path, given),
  };
}

const begin = async (staging: Pick<Staging, "ask">, bytes: Uint8Array) => {
  const { digest, size } = contentOf(bytes);
  const begun = await staging.ask("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
  return { begun, path: begun.status === 201 ? `/api/v1/uploads/${begun.text("uploadId")}` : "" };
};

test.runIf(canMount)(
  "T19 a disk that is full is told, leaves nothing half, and is used again when there is room",
  async () => {
    const staging = await onSmallVolume("--min-free", "1m");
    const [one, other] = [someBytes(5 * mebibyte, 1), someBytes(5 * mebibyte, 2)];
    const uploads = [await begin(staging, one), await begin(staging, other)];
    const sent = [];
    for (const [index, body] of [one, other].entries()) {
      const headers = { "upload-offset": 0 };
      sent.push(await staging.ask("PATCH", uploads[index]?.path ?? "", { body, headers }));
    }
    expect(sent.map(({ status }) => status)).toEqual([204, 507]);
    expect(sent[1]?.code()).toBe("STORE_FULL");
    const left = readdirSync(`${staging.store}/uploads`).map((name) => name.split(".")[0]);
    expect(new Set(left).size).toBe(1);

    const filler = `${staging.store}/filler`;
    writeFileSync(filler, someBytes(2.5 * mebibyte));
    const { begun } = await begin(staging, someBytes(mebibyte));
    expect([begun.status, begun.code()]).toEqual([507, "STORE_FULL"]);
    const ready = await staging.ask("GET", "/readyz");
    expect([ready.status, ready.body.toString()]).toEqual([
      503,
      expect.stringContaining("The store is not writable"),
    ]);

    rmSync(filler);
    await staging.ask("DELETE", uploads[0]?.path ?? "");
    expect((await staging.ask("GET", "/readyz")).status).toBe(200);
    await stageBlob(staging, other);
  },
);

test.runIf(canMount)("T19 a form that does not fit leaves nothing", async () => {
  const staging = await onSmallVolume("--min-free", "0");
  const { body, headers } = usualForm(someBytes(9 * mebibyte));
  const chunked = { ...headers, "transfer-encoding": "chunked" };
  for (const given of [headers, chunked]) {
    const refused = await staging.ask("POST", "/api/v0/resources", { headers: given, body });
    expect([refused.status, refused.code()]).toEqual([507, "STORE_FULL"]);
    expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
  }
  const fits = await staging.ask("POST", "/api/v0/resources", usualForm(someBytes(mebibyte)));
  expect(fits.status).toBe(200);
});
