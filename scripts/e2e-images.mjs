/**
 * Adds programs of this machine to the images of the conformance suite, whose busybox differs from that of upstream's images.
 *
 * Upstream's agnhost has OpenBSD's netcat, which the shell of Debian's busybox replaces by its own, and the shell of upstream's busybox
 * passes variables on whose names contain `-` or `.`.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Programs by the names of images: file here, and file in the image. */
const programs = [
  { image: /^agnhost-/, source: "/usr/bin/nc.openbsd", target: "usr/bin/nc", package: "netcat-openbsd" },
  { image: /^(agnhost|busybox)-/, source: "/bin/bash", target: "bin/sh", package: "bash" },
];

/** Adds a layer with programs and their libraries to a docker archive, if its image needs some. */
export function addPrograms(archive) {
  const needed = programs.filter(({ image }) => image.test(basename(archive)));
  if (needed.length === 0) return;
  const directory = mkdtempSync(`${archive}-`);
  try {
    execFileSync("tar", ["-xf", archive, "-C", directory]);
    const [image] = readJson(join(directory, "manifest.json"));
    const config = readJson(join(directory, image.Config));
    const layer = makeLayer(directory, needed);
    config.rootfs.diff_ids.push(`sha256:${sha256(readFileSync(join(directory, layer)))}`);
    config.history?.push({ created_by: "programs" });
    const text = JSON.stringify(config);
    const configName = `${sha256(text)}.json`;
    writeFileSync(join(directory, configName), text);
    const manifest = [{ ...image, Config: configName, Layers: [...image.Layers, layer] }];
    writeFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
    execFileSync("tar", ["-cf", archive, "-C", directory, "manifest.json", configName, ...manifest[0].Layers]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes the layer's archive in a directory. Returns its name. */
function makeLayer(directory, needed) {
  const root = join(directory, "programs");
  for (const { source, target, package: name } of needed) {
    copy(source, join(root, target), `${source} is missing: apt-get install ${name}`);
    const libraries = execFileSync("ldd", [source], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
    for (const library of libraries) copy(library, join(root, library), `${library} is missing`);
  }
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  execFileSync("tar", ["-cf", join(directory, "programs.tar"), ...owner, "-C", root, "."]);
  return "programs.tar";
}

function copy(source, target, problem) {
  mkdirSync(dirname(target), { recursive: true });
  try {
    copyFileSync(source, target);
  } catch (error) {
    throw new Error(problem, { cause: error });
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}
