import { createHash } from "node:crypto";
import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { hostRoot } from "../sandbox/host-root.ts";
import type { Mount } from "../sandbox/sandbox.ts";
import { type Account, groupText, passwdText, rootAccount } from "./account-files.ts";
import type { Image } from "./image.ts";
import type { Python } from "./python.ts";
import { decommissionScript, shareClasses, sparkEntrypoint, tiniShim } from "./spark-entrypoint.ts";

export interface ImageParts {
  readonly files: Files;
  /** Private directory for generated files. */
  readonly directory: string;
  readonly python: Python;
  /** `undefined`: the `java` on the shared search path. */
  readonly javaHome: string | undefined;
  /** Additional variables of Spark images. */
  readonly sparkEnv: Readonly<Record<string, string>>;
  /** Additional mounts of Spark images. */
  readonly sparkMounts: readonly Mount[];
}

/** Spark distribution of an image. */
export interface SparkContent {
  readonly home: string;
  /** Directory of its class data archive for this Java. @default no archive */
  readonly classArchive: string | undefined;
}

/** Image without the reference that it was requested by. */
export type ComposedImage = Omit<Image, "reference">;

const sparkUser: Account = { name: "spark", uid: 185, gid: 0, home: "/opt/spark" };
/** Search path of images that set none. */
export const defaultSearchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Composes an image from this machine's programs and a Spark distribution, in the layout of the project's own images:
 * Spark in `/opt/spark`, entry point `/opt/entrypoint.sh`, user 185, working directory `/opt/spark/work-dir`.
 */
export function sparkImage(parts: ImageParts, spark: SparkContent): ComposedImage {
  const { files, javaHome, python } = parts;
  const home = files.realPath(spark.home) ?? spark.home;
  const entries = (files.list(home) ?? []).filter((name) => name !== "work-dir" && name !== "logs");
  const { mounts, etc } = baseMounts(parts, sparkUser);
  return withId({
    mounts: [
      ...mounts,
      ...(javaHome === undefined || isWithin(javaHome, "/usr") ? [] : [readOnlyBind(javaHome, javaHome)]),
      { kind: "temporary", target: "/opt/spark", mode: 0o755 },
      ...entries.map((name) => readOnlyBind(`${home}/${name}`, `/opt/spark/${name}`)),
      { kind: "temporary", target: "/opt/spark/work-dir", mode: 0o777 },
      { kind: "temporary", target: "/opt/spark/logs", mode: 0o777 },
      ...(spark.classArchive === undefined ? [] : [readOnlyBind(spark.classArchive, "/opt/class-sharing")]),
      ...parts.sparkMounts,
      ...entrypoint(parts, { ...spark, home }),
      ...etc,
    ],
    env: {
      PATH: searchPath(python),
      // As in the project's own images; without it Java corrupts file names that are not ASCII.
      LANG: "C.UTF-8",
      SPARK_HOME: "/opt/spark",
      ...(javaHome === undefined ? {} : { JAVA_HOME: javaHome }),
      ...parts.sparkEnv,
    },
    // Without this variable, a driver's UI listens on every address of this machine.
    fieldEnv: { SPARK_LOCAL_IP: "status.podIP" },
    entrypoint: ["/opt/entrypoint.sh"],
    workingDirectory: "/opt/spark/work-dir",
    user: sparkUser,
  });
}

/**
 * Composes an image from this machine's programs alone, for sidecars, init containers and tests: no entry point, user
 * 0.
 */
export function plainImage(parts: ImageParts): ComposedImage {
  const { mounts, etc } = baseMounts(parts, undefined);
  return withId({
    mounts: [...mounts, ...etc],
    env: { PATH: searchPath(parts.python) },
    fieldEnv: {},
    entrypoint: [],
    workingDirectory: "/",
    user: rootAccount,
  });
}

function searchPath({ programs }: Python): string {
  return programs === undefined ? defaultSearchPath : `${programs}:${defaultSearchPath}`;
}

function baseMounts(parts: ImageParts, own: Account | undefined) {
  const { files, python } = parts;
  const file = (name: string, content: string) => generated(parts, `${own?.name ?? "root"}-${name}`, content);
  return {
    mounts: [...hostRoot(files), ...python.mounts],
    etc: [
      readOnlyBind(file("group", groupText(own)), "/etc/group"),
      // Resolve names from the pod's hosts file first, where one name may have several addresses.
      readOnlyBind(file("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"), "/etc/nsswitch.conf"),
      readOnlyBind(file("host.conf", "multi on\n"), "/etc/host.conf"),
    ],
  };
}

interface Recipe extends Pick<Image, "mounts" | "env" | "fieldEnv" | "entrypoint" | "workingDirectory"> {
  readonly user: Account;
}

function withId({ user, ...recipe }: Recipe): ComposedImage {
  const id = createHash("sha256").update(JSON.stringify(recipe)).digest("hex");
  const users = passwdText(user.uid === 0 ? undefined : user);
  return { id: `sha256:${id}`, ...recipe, command: [], uid: user.uid, gid: user.gid, users };
}

/** Mounts the distribution's entry point if it has one; replaces the path of tini where this machine has none. */
function entrypoint(parts: ImageParts, { home, classArchive }: SparkContent): Mount[] {
  const { files } = parts;
  const apache = files.readText(`${home}/kubernetes/dockerfiles/spark/entrypoint.sh`);
  const sharing = apache === undefined || classArchive === undefined ? apache : shareClasses(apache);
  const own = sharing ?? sparkEntrypoint;
  const hasTini = files.info("/usr/bin/tini") !== undefined;
  const text = hasTini ? own : own.replaceAll("/usr/bin/tini", "/opt/tini");
  const name = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return [
    ...(hasTini ? [] : [readOnlyBind(program(parts, "tini", tiniShim), "/opt/tini")]),
    readOnlyBind(program(parts, "decom.sh", decommissionScript), "/opt/decom.sh"),
    { ...readOnlyBind(program(parts, `entrypoint-${name}.sh`, text), "/opt/entrypoint.sh"), texts: true },
  ];
}

function generated({ files, directory }: ImageParts, name: string, content: string): string {
  const path = `${directory}/${name}`;
  files.makeDirectory(directory, { mode: 0o700 });
  if (files.readText(path) !== content) files.write(path, content);
  return path;
}

function program(parts: ImageParts, name: string, content: string): string {
  const path = generated(parts, name, content);
  parts.files.changeMode(path, 0o755);
  return path;
}

/** Mounts a path of this machine at another path, read-only. */
export function readOnlyBind(source: string, target: string): Mount & { kind: "bind" } {
  return { kind: "bind", source, target, readOnly: true };
}
