import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { run } from "../acceptance/programs.ts";
import { call } from "../peers/fetch-peer.ts";

/** Buildah with images and logins of its own, for the tests of a file. */
export interface ImageStore {
  readonly directory: string;
  /** For programs that call Buildah. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs Buildah. Returns its output. @throws Error with the end of its stderr */
  readonly buildah: (...args: readonly string[]) => string;
  /** Runs `firesteel image build`. */
  readonly build: (...args: readonly string[]) => ReturnType<typeof run>;
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
  return {
    ...{ directory, env, buildah },
    build: (...args) =>
      run("firesteel", ["image", "build", ...args, "--engine", "buildah", "--base", baseImage], { env }),
  };
}
