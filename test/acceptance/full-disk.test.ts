import { spawnSync } from "node:child_process";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { packTar } from "modern-tar";
import { expect, test } from "vitest";
import { testWith } from "../test-with.ts";
import { root, temporaryDirectory } from "./programs.ts";

const args = [
  ...["--master", "k8s://http://h:1", "--deploy-mode", "cluster", "--class", "Main"],
  ...["--conf", "spark.kubernetes.container.image=spark", "local:///app.jar"],
];

/** Writes to `/dev/full` fail, as on a full disk. */
function render(outputs: { readonly stdout?: "/dev/full"; readonly stderr?: "/dev/full" }) {
  const open = (path: string | undefined) => (path === undefined ? "pipe" : openSync(path, "w"));
  return spawnSync(process.execPath, [join(root, "dist", "bin", "firesteel.cjs"), "render", ...args], {
    env: { HOME: temporaryDirectory() },
    stdio: ["ignore", open(outputs.stdout), open(outputs.stderr)],
    encoding: "utf8",
  });
}

test("a failed write to standard output is reported and fails the program", () => {
  const { status, stderr } = render({ stdout: "/dev/full" });
  expect(status).toBe(1);
  expect(stderr).toContain("Error: The standard output could not be written: ENOSPC: no space left on device, write\n");
});

test("a failed write to stderr does not stop the program", () => {
  expect(render({}).stderr).toContain("Kubernetes master URL uses HTTP instead of HTTPS.");
  const { status, stdout } = render({ stderr: "/dev/full" });
  expect(status).toBe(0);
  expect(stdout).toContain("kind: Service");
});

/** Runs a command twice on a disk of 400 kB: when it is full, and after space is freed. Prints the exit codes, each with the files. */
const script = [
  'disk=$0; mount -t tmpfs -o size=400k small "$disk"; yes > "$disk/filler" 2>/dev/null',
  '"$@"; echo "exit $?"; find "$disk" -type f; rm "$disk/filler"; "$@"; echo "exit $?"; find "$disk" -type f',
  '"$1" "$2" cluster delete',
].join("\n");

function onFullDisk(disk: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = [process.execPath, join(root, "dist", "bin", "firesteel.cjs"), ...args];
  return spawnSync("unshare", ["-rm", "sh", "-c", script, disk, ...command], {
    env: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      ...env,
      ...{ HOME: disk, FIRESTEEL_STATE: join(disk, "state"), FIRESTEEL_CACHE: join(disk, "cache") },
    },
    encoding: "utf8",
  });
}

async function writeImage(directory: string): Promise<string> {
  const entry = (name: string, body: string) => ({ header: { name, size: Buffer.byteLength(body) }, body });
  const layer = await packTar([entry("f", "content")]);
  const manifest = [{ Config: "config.json", RepoTags: ["app:1"], Layers: ["layer.tar"] }];
  const archive = await packTar([
    entry("config.json", "{}"),
    { header: { name: "layer.tar", size: layer.length }, body: layer },
    entry("manifest.json", JSON.stringify(manifest)),
  ]);
  writeFileSync(join(directory, "image.tar"), archive);
  return join(directory, "image.tar");
}

testWith("user namespaces")(
  "packages resolve on a full disk leaves no jar and no lock file, and succeeds after space is freed",
  () => {
    const directory = temporaryDirectory();
    const disk = join(directory, "disk");
    const module = join(directory, "repository", "g", "a", "1");
    for (const path of [disk, module]) mkdirSync(path, { recursive: true });
    writeFileSync(join(module, "a-1.jar"), Buffer.alloc(300_000, 1));
    const coordinates = "<groupId>g</groupId><artifactId>a</artifactId><version>1</version>";
    writeFileSync(join(module, "a-1.pom"), `<project>${coordinates}</project>`);
    const repository = pathToFileURL(join(directory, "repository")).href;
    const args = ["packages", "resolve", "g:a:1", "--into", join(disk, "jars"), "--lock", join(disk, "lock.json")];
    const { stdout, stderr } = onFullDisk(disk, args, { DEFAULT_ARTIFACT_REPOSITORY: repository });
    expect(stderr).toContain("ENOSPC: no space left on device");
    const jar = join(disk, "jars", "g_a-1.jar");
    const [full = "", free = ""] = stdout.split("exit 0\n");
    expect(full).toBe(`exit 1\n${disk}/filler\n${jar}\n`);
    expect(free.split("\n")).toEqual(expect.arrayContaining([`${disk}/lock.json`, jar]));
  },
);

for (const [command, path] of [
  ["cluster image load", "cache/images/"],
  ["cluster start --api-only", "state/clusters/default/cluster.log"],
] as const) {
  testWith("user namespaces")(
    `${command} on a full disk names the file, and succeeds after space is freed`,
    async () => {
      const disk = join(temporaryDirectory(), "disk");
      mkdirSync(disk);
      const image = await writeImage(temporaryDirectory());
      const args = [...command.split(" "), ...(command.endsWith("load") ? [image] : [])];
      const { stdout, stderr } = onFullDisk(disk, args);
      expect(stderr).toContain(`ENOSPC: no space left on device, write '${disk}/${path}`);
      expect(stdout.match(/^exit \d+$/gm)).toEqual(["exit 1", "exit 0"]);
    },
  );
}
