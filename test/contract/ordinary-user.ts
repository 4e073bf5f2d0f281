import type { Files, Host } from "../../src/host/host.ts";

const uid = 1000;

/**
 * Returns the machine as an ordinary user sees it, for tests that run as root: programs run as that user, who owns the files
 * that are made in `directory`.
 */
export function ordinaryUser(machine: Host, directory: string): Host {
  const { files } = machine;
  const own = (path: string) => {
    const canonical = files.realPath(path.slice(0, path.lastIndexOf("/"))) ?? "";
    for (
      let made = `${canonical}${path.slice(path.lastIndexOf("/"))}`;
      made.startsWith(directory);
      made = made.slice(0, made.lastIndexOf("/"))
    )
      files.changeOwner(made, uid, uid);
  };
  own(directory);
  // A control group that root made would remain: this user's watchdog cannot remove it.
  const refuseControlGroups = (path: string) => {
    if (path.startsWith("/sys/")) throw new Error(`EACCES: permission denied, '${path}'`);
  };
  const owned: Files = {
    ...files,
    makeDirectory(path, options) {
      refuseControlGroups(path);
      files.makeDirectory(path, options);
      own(path);
    },
    write(path, content, options) {
      refuseControlGroups(path);
      files.write(path, content, options);
      own(path);
    },
    copy(from, to) {
      files.copy(from, to);
      own(to);
    },
    link(target, path) {
      files.link(target, path);
      own(path);
    },
  };
  return {
    ...machine,
    files: owned,
    user: { name: "ordinary", uid, gid: uid, home: directory },
    spawn: (command, args, options) =>
      machine.spawn("setpriv", [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--", command, ...args], options),
  };
}
