import type { Files } from "../../../host/host.ts";
import { mountedPath } from "../../sandbox/mounted-path.ts";
import type { Mount } from "../../sandbox/sandbox.ts";
import { passwdText } from "../account-files.ts";
import type { Image, ImageFailure } from "../image.ts";
import { defaultSearchPath } from "../spark-image.ts";
import type { ImageStore, StoredImage } from "./image-store.ts";

interface RootfsImageOptions {
  readonly files: Files;
  readonly store: ImageStore;
  readonly reference: string;
  /** Additional variables and mounts of images that contain Spark. */
  readonly sparkEnv: Readonly<Record<string, string>>;
  readonly sparkMounts: readonly Mount[];
}

/** Builds the image that pods run from a loaded image's own root filesystem. */
export function rootfsImage(
  stored: StoredImage,
  { files, store, reference, sparkEnv, sparkMounts }: RootfsImageOptions,
): { readonly image: Image } | ImageFailure {
  const root: Mount = { kind: "bind", source: store.rootOf(stored), target: "/", readOnly: false, isCopyOnWrite: true };
  const read = (path: string) => {
    const hostPath = mountedPath(files, [root], path);
    return hostPath === undefined || files.info(hostPath)?.kind !== "file" ? undefined : files.readText(hostPath);
  };
  const users = read("/etc/passwd") ?? passwdText();
  const identity = identityOf(stored.user, { users, groups: read("/etc/group") ?? "" });
  if ("problem" in identity) return { reason: "ErrImagePull", message: identity.problem };
  const { id, entrypoint, command, env, workingDirectory } = stored;
  const hasSpark = env["SPARK_HOME"] !== undefined;
  return {
    image: {
      ...{ reference, id, entrypoint, command, workingDirectory, users },
      env: { PATH: defaultSearchPath, ...env, ...(hasSpark ? sparkEnv : {}) },
      // Without this variable, a driver's UI listens on every address of this machine.
      fieldEnv: hasSpark ? { SPARK_LOCAL_IP: "status.podIP" } : {},
      mounts: [root, ...(hasSpark ? sparkMounts : [])],
      ...identity,
    },
  };
}

/** Resolves the user of an image's configuration to numbers: `185`, `spark`, `185:0`, `spark:root`. */
function identityOf(
  text: string,
  { users, groups }: { readonly users: string; readonly groups: string },
): { readonly uid: number; readonly gid: number } | { readonly problem: string } {
  const [user = "", group] = text.split(":");
  const line = fieldsOf(users, user === "" ? "0" : user);
  const uid = /^\d+$/.test(user) ? Number(user) : user === "" ? 0 : Number(line?.[2] ?? Number.NaN);
  if (Number.isNaN(uid)) return { problem: `unable to find user ${user}: no matching entries in passwd file` };
  if (group === undefined) return { uid, gid: Number(line?.[3] ?? 0) };
  const gid = /^\d+$/.test(group) ? Number(group) : Number(fieldsOf(groups, group)?.[2] ?? Number.NaN);
  return Number.isNaN(gid)
    ? { problem: `unable to find group ${group}: no matching entries in group file` }
    : { uid, gid };
}

/** Finds the fields of a user or group by name or number. */
function fieldsOf(text: string, nameOrNumber: string): readonly string[] | undefined {
  return text
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name, , number]) => name === nameOrNumber || number === nameOrNumber);
}
