import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { run } from "../acceptance/programs.ts";
import { call } from "../peers/fetch-peer.ts";

/** Buildah with images and logins of its own, for the tests of a file. */
export interface ImageStore {
  readonly directory: string;
  /** For programs that call Buildah. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs Buildah. Returns its output. @throws Error with the end of its stderr */
  readonly buildah: (...args: readonly string[]) => string;
  /** Runs `firesteel image build`, with the variables of the store and further ones. */
  readonly buildWith: (env: Readonly<Record<string, string>>, ...args: readonly string[]) => ReturnType<typeof run>;
  readonly build: (...args: readonly string[]) => ReturnType<typeof run>;
  /** Returns the configuration of an image. */
  readonly configOf: (tag: string) => ImageConfig;
  /** Runs a command in a new container of an image, as its user. */
  readonly inside: (tag: string, command: string, ...options: readonly string[]) => string;
  /** Lists files of package managers and secrets, which no image may have. */
  readonly leftovers: (tag: string) => string;
}

/** Configuration of an image, in part. */
export interface ImageConfig {
  readonly User: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Entrypoint: readonly string[];
}

/** Name of the image that all others are built on. */
export const baseImage = "localhost/debian-node:test";

/** Makes a store with the base image before the tests of a file, and removes it after them. */
export function imageStore(rootFiles: string): ImageStore {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-images-"));
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const storage = `[storage]\ndriver = "overlay"\nrunroot = "${directory}/run"\ngraphroot = "${directory}/graph"\n`;
  const env = {
    CONTAINERS_STORAGE_CONF: file("storage.conf", storage),
    REGISTRY_AUTH_FILE: file("auth.json", "{}"),
    BUILDAH_ISOLATION: "chroot",
    TMPDIR: join(directory, "tmp"),
  };
  mkdirSync(env.TMPDIR);
  const buildah = (...args: readonly string[]) =>
    call("env", [...Object.entries(env).map((entry) => entry.join("=")), "buildah", ...args]);
  beforeAll(() => {
    const container = buildah("from", "scratch").trim();
    buildah("add", "--quiet", container, rootFiles, "/");
    buildah("commit", "--quiet", "--rm", container, baseImage);
  });
  afterAll(() => {
    // The store has mounts and files of other users.
    buildah("rm", "--all");
    buildah("rmi", "--all", "--force");
    call("sh", ["-c", 'umount "$0"/graph/overlay 2>/dev/null || true', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  const buildWith: ImageStore["buildWith"] = (more, ...args) =>
    run("firesteel", ["image", "build", ...args, "--engine", "buildah", "--base", baseImage], {
      env: { ...env, ...more },
    });
  const inside: ImageStore["inside"] = (tag, command, ...options) => {
    const container = buildah("from", "--pull-never", tag).trim();
    onTestFinished(() => void buildah("rm", container));
    return buildah("run", ...options, container, "--", "sh", "-c", command);
  };
  return {
    ...{ directory, env, buildah, buildWith, inside },
    build: (...args) => buildWith({}, ...args),
    configOf: (tag) => JSON.parse(buildah("inspect", "--type", "image", tag)).OCIv1.config,
    leftovers: (tag) =>
      inside(
        tag,
        `find /var/lib/apt/lists /var/cache/apt /root /tmp /home -type f -not -name .bashrc -not -name .profile
         find /opt -type f -name '.npmrc' -o -name '*.pem' -o -name '*.key'`,
        ...["--user", "0"],
      ),
  };
}
