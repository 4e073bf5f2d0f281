import type { Files } from "../../host/host.ts";
import type { Mount } from "../sandbox/sandbox.ts";

/** Folders of programs and libraries, which images composed of this machine share with it. */
const programDirectories = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** What programs of a usual Linux need below `/etc` to be found and to run; nothing of it is private. */
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

/** The programs of this machine as a read-only root: no home, no secrets, an empty `/etc` but for what they need. */
export function hostRoot(files: Files): readonly Mount[] {
  const java = (files.list("/etc") ?? [])
    .filter((name) => /^java(-|$)/.test(name))
    .map((name) => `/etc/${name}`);
  return [
    ...[...programDirectories, ...programConfigPaths, ...java].flatMap((path) => hostPathMounts(files, path)),
    { kind: "temporary", target: "/tmp", mode: 0o1777 },
    { kind: "temporary", target: "/run", mode: 0o755 },
  ];
}

/** A path as it is on this machine, a link kept as a link, if it is there. */
function hostPathMounts(files: Files, path: string): readonly Mount[] {
  const info = files.info(path, { followLinks: false });
  if (info === undefined) return [];
  const to = info.kind === "link" ? files.readLink(path) : undefined;
  // A link to a place that is not shown would be broken.
  if (to !== undefined && programDirectories.includes(path)) return [{ kind: "link", to, target: path }];
  return [{ kind: "bind", source: files.realPath(path) ?? path, target: path, readOnly: true }];
}
