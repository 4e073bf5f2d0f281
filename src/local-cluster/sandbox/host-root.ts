import type { Files } from "../../host/host.ts";
import type { Mount } from "./sandbox.ts";

/** Directories of programs and libraries that composed images share with this machine. */
const programDirectories = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Paths below `/etc` that programs of a typical Linux need; none of them is private. */
const programConfigPaths = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/ca-trust",
  "/etc/pki/java",
  "/etc/pki/tls/cert.pem",
  "/etc/pki/tls/certs",
  "/etc/crypto-policies",
  "/etc/fonts",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/mime.types",
  "/etc/os-release",
];

/** Builds a read-only root from this machine's programs: no home, no secrets, and only the needed parts of `/etc`. */
export function hostRoot(files: Files): readonly Mount[] {
  const java = (files.list("/etc") ?? []).filter((name) => /^java(-|$)/.test(name)).map((name) => `/etc/${name}`);
  return [
    ...[...programDirectories, ...programConfigPaths, ...java].flatMap((path) => hostPathMounts(files, path)),
    { kind: "temporary", target: "/tmp", mode: 0o1777 },
    { kind: "temporary", target: "/run", mode: 0o755 },
  ];
}

/** Mounts a path of this machine if it exists; a link stays a link. */
function hostPathMounts(files: Files, path: string): readonly Mount[] {
  const info = files.info(path, { followLinks: false });
  if (info === undefined) return [];
  const to = info.kind === "link" ? files.readLink(path) : undefined;
  // Only a link between program directories has a target inside the container; bind what any other link resolves to.
  if (to !== undefined && programDirectories.includes(path)) return [{ kind: "link", to, target: path }];
  return [{ kind: "bind", source: files.realPath(path) ?? path, target: path, readOnly: true }];
}
