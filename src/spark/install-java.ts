import { submitError } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { runCommand } from "../host/run-command.ts";
import { type Apt, type AptResult, openApt, openFreshApt } from "./apt.ts";
import { inInstallDirectory, moveInstallation } from "./cache.ts";
import { type JavaHome, readJavaHome } from "./java-home.ts";
import { writeTrustStore } from "./trust-store.ts";

/** Names of Java runtime packages in Debian and Ubuntu. Each release of these systems has at least one. */
const packages = ["openjdk-17-jre-headless", "openjdk-21-jre-headless"];

/**
 * Unpacks the system's OpenJDK package into Firesteel's cache: `java/<package>`. Installs nothing and needs no
 * root.
 *
 * @throws SubmitError `SUBMIT_ERR_JAVA_MISSING` when that fails, with what to install.
 */
export async function installJava(host: Host, progress: Progress): Promise<JavaHome> {
  const apt = host.platform === "linux" ? await openApt(host, progress) : undefined;
  if (apt === undefined) throw missing(host, "None was found in JAVA_HOME, on PATH or in the usual directories.");
  const any = `${cacheDirectory(host)}/java/any`;
  return await inInstallDirectory(host, any, (work) => installIn(host, { apt, work, progress }));
}

/** Inputs of an installation. `work` is its own directory. */
interface InstallContext {
  readonly apt: Apt;
  readonly work: string;
  readonly progress: Progress;
}

async function installIn(host: Host, context: InstallContext): Promise<JavaHome> {
  const { work } = context;
  const got = await downloadAny(host, context);
  if (!got.ok) throw missing(host, `The download failed: ${got.reason}`);
  const unpacked = `${work}/unpacked`;
  await unpack(host, got.archives, unpacked);
  const home = unpackedHome(host, unpacked);
  if (home === undefined) throw missing(host, `The package ${got.name} contains no Java.`);
  replaceLinks(host, { directory: home, root: unpacked });
  writeTrustStore(host, `${home}/lib/security/cacerts`);
  await addLibraries(host, { apt: got.apt, name: got.name, home, work });
  const target = `${cacheDirectory(host)}/java/${got.name}`;
  const isUsable = () => readJavaHome(host, target) !== undefined;
  moveInstallation(host, { finished: home, target, isUsable });
  const installed = readJavaHome(host, target);
  if (installed === undefined) throw missing(host, `The package ${got.name} contains no Java.`);
  return installed;
}

function missing(host: Host, reason: string): Error {
  const advice =
    host.platform === "darwin"
      ? "Install it, e.g. brew install openjdk@17, and set JAVA_HOME to its directory."
      : "Install it (Debian, Ubuntu: apt-get install openjdk-17-jre-headless; Fedora: dnf install java-17-openjdk-headless; Alpine: apk add openjdk17-jre-headless), or set JAVA_HOME to the directory of one.";
  return submitError("SUBMIT_ERR_JAVA_MISSING", { reason, advice });
}

type Downloaded = AptResult & { readonly apt: Apt; readonly name: string };

/** Downloads the first package that the system's lists contain, or else the first in fresh lists. */
async function downloadAny(
  host: Host,
  { apt, work, progress }: InstallContext,
): Promise<Downloaded | { readonly ok: false; readonly reason: string }> {
  progress.note("Downloading a Java runtime from this system's packages (about 45 MB, once).");
  const known = await downloadFirst(apt, `${work}/packages`);
  if (known.ok) return known;
  const fresh = await openFreshApt(host, progress, work);
  if (typeof fresh === "string") return { ok: false, reason: `${known.reason}; ${fresh}` };
  return await downloadFirst(fresh, `${work}/packages`);
}

async function downloadFirst(apt: Apt, directory: string): Promise<Downloaded> {
  const reasons: string[] = [];
  for (const name of packages) {
    const result = await apt.download([name], directory);
    if (result.ok) return { ...result, apt, name };
    reasons.push(result.reason);
  }
  return { ok: false, reason: reasons.join("; "), apt, name: packages.join(", ") };
}

async function unpack(host: Host, archives: readonly string[], into: string): Promise<void> {
  for (const archive of archives) {
    const { code, stderr } = await runCommand(host, ["dpkg", "-x", archive, into]);
    if (code !== 0) throw missing(host, `${archive} could not be unpacked: ${stderr.trim()}`);
  }
}

function unpackedHome(host: Host, root: string): string | undefined {
  const parent = `${root}/usr/lib/jvm`;
  const names = host.files.list(parent) ?? [];
  return names
    .map((name) => `${parent}/${name}`)
    .find(
      (path) =>
        host.files.info(path, { followLinks: false })?.kind === "directory" &&
        host.files.info(`${path}/bin/java`) !== undefined,
    );
}

/** Replaces the package's links to `/etc` by the files themselves, so that the directory can be moved. */
function replaceLinks(host: Host, { directory, root }: { directory: string; root: string }): void {
  const { files } = host;
  for (const name of files.list(directory) ?? []) {
    const path = `${directory}/${name}`;
    const kind = files.info(path, { followLinks: false })?.kind;
    if (kind === "directory") replaceLinks(host, { directory: path, root });
    if (kind !== "link") continue;
    const to = files.readLink(path) ?? "";
    if (to.startsWith("/") && files.info(`${root}${to}`)?.kind === "file") {
      files.remove(path);
      files.copy(`${root}${to}`, path);
    }
  }
}

/** Copies libraries that the JVM is linked to and the machine lacks from the package's dependencies. */
async function addLibraries(
  host: Host,
  { apt, name, home, work }: { apt: Apt; name: string; home: string; work: string },
): Promise<void> {
  const lacking = await libraryProblem(host, home);
  if (lacking === undefined) return;
  const unpacked = `${work}/libraries`;
  for (const dependency of await apt.dependencies(name)) {
    const got = await apt.download([dependency], `${work}/dependencies/${dependency}`);
    if (got.ok) await unpack(host, got.archives, unpacked);
  }
  // The JVM searches its own directory first.
  copyLibraries(host, `${unpacked}/usr/lib`, `${home}/lib`);
  copyLibraries(host, `${unpacked}/lib`, `${home}/lib`);
  const still = await libraryProblem(host, home);
  if (still !== undefined) throw missing(host, `The downloaded Java does not run: ${still}`);
}

async function libraryProblem(host: Host, home: string): Promise<string | undefined> {
  const { code, stderr } = await runCommand(host, [`${home}/bin/java`, "-version"]);
  return code === 0 ? undefined : stderr.trim();
}

function copyLibraries(host: Host, from: string, to: string): void {
  const { files } = host;
  for (const name of files.list(from) ?? []) {
    const info = files.info(`${from}/${name}`);
    if (info?.kind === "directory") copyLibraries(host, `${from}/${name}`, to);
    const isLibrary = info?.kind === "file" && /^lib.*\.so(\.|$)/.test(name);
    if (isLibrary && files.info(`${to}/${name}`) === undefined) files.copy(`${from}/${name}`, `${to}/${name}`);
  }
}
