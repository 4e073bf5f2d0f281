import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Permissive licenses, by SPDX identifier. */
const permissive = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "PSF-2.0"];

/**
 * Writes the licenses of all packages that the programs contain or that the library installs.
 *
 * @param chunks the output of the bundler
 * @throws Error when the license of a package is unknown or not permissive
 */
export function collectLicenses(root, chunks, file) {
  const bundled = chunks.flatMap(({ moduleIds }) => moduleIds.map(packageDirectory)).filter(Boolean);
  const packages = [...new Set([...bundled, ...productionPackages(root)])].map(readPackage);
  const problems = packages.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new Error(`cannot publish these dependencies:\n${problems.join("\n")}`);
  const sections = packages
    .sort((a, b) => a.title.localeCompare(b.title))
    .map(({ title, license, texts }) => [`${title} (${license})`, ...texts].join("\n\n"));
  const head = "Firesteel contains or installs the following packages.";
  writeFileSync(file, `${[head, ...sections].join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}

/** Returns the directory of the package that contains a module, and undefined for the project's own modules. */
function packageDirectory(module) {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];
}

/** Returns the directories of all packages that `npm install firesteel` installs, from the lock file. */
function productionPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && dev !== true && optional !== true)
    .map(([path]) => join(root, path));
}

function readPackage(directory) {
  const { name, version, license, author, repository } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8"),
  );
  const title = `${name} ${version}`;
  if (!permissive.includes(license))
    return { problem: `${title}: license ${JSON.stringify(license)} is not in the list` };
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice|copying)(\.|$)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim());
  const source = `Author: ${author?.name ?? author ?? "not stated"}\nSource: ${repository?.url ?? repository ?? "not stated"}`;
  return {
    title,
    license,
    texts: texts.length > 0 ? texts : [`The package contains no license file.\n${source}`],
  };
}
