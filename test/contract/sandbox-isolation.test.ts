import { beforeEach, describe, expect, test } from "vitest";
import { capabilitiesOf, defaultCapabilities } from "../../src/local-cluster/sandbox/capabilities.ts";
import { hostRoot } from "../../src/local-cluster/sandbox/host-root.ts";
import { requires } from "../test-with.ts";
import { bind, sandboxCases, sandboxRunner, shell } from "./sandbox-runner.ts";

// These tests only check access to the kernel's files: writing to them would change this machine.

const settings = [
  "/proc/sys/kernel/core_pattern",
  "/proc/sys/kernel/hostname",
  "/proc/sys/net/ipv4/ip_forward",
  "/proc/sys/vm/overcommit_memory",
  "/proc/sysrq-trigger",
  "/proc/irq/default_smp_affinity",
];
const hidden = [
  ...["acpi", "asound", "interrupts", "kcore", "keys", "latency_stats", "sched_debug"],
  ...["scsi", "timer_list", "timer_stats"],
].map((name) => `/proc/${name}`);

/** Prints what a container can change or read. Uses only the shell, so that it runs in any image. */
const script = [
  `for path in ${settings.join(" ")}; do if [ -w $path ]; then echo "can write $path"; fi; done`,
  `for path in ${hidden.join(" ")}; do`,
  '  if [ -f $path ] && read -r line < $path; then echo "can read $path"; fi',
  '  if [ -d $path ] && [ "$(echo $path/*)" != "$path/*" ]; then echo "can list $path"; fi',
  "done",
  "echo checked",
].join("\n");

/** Prints what a container can change or read after it tried to remove what protects it. */
const attack = [
  "for path in /proc/sys /proc/sysrq-trigger /proc/keys /proc/interrupts /proc/acpi; do umount $path; umount -l $path",
  "  mount -o remount,bind,rw $path; done",
  "umount -R /proc; mount -t proc proc /proc; mount -o remount,rw /proc; mount -t proc proc /tmp",
  "if [ -w /tmp/sys/kernel/core_pattern ]; then echo new proc; fi",
  script,
].join("\n");
const nested = "unshare --user --map-root-user --mount --pid --fork";

describe.each(sandboxCases(["bwrap", "unshare"]))("the $choice sandbox of the $user user", (sandbox) => {
  const { choice, user } = sandbox;
  const { host, directory, run, execIn, file, imageRoot, imageMounts } = sandboxRunner(sandbox);
  const isSwitched = host.user.uid === 0;
  const quiet = (commands: string) => `{ ${commands}\n} 2>/dev/null`;

  test.each([0, 185])("user %i can neither change the kernel nor read its state", async (uid) => {
    expect(await run({ uid, command: shell(script) })).toMatchObject({ code: 0, out: "checked\n" });
    expect((await execIn({ uid }, shell(script))).out).toBe("checked\n");
  });

  test.each([0, 185])("user %i cannot remove the protection, even in namespaces of its own", async (uid) => {
    expect((await run({ uid, command: shell(quiet(attack)) })).out).toBe("checked\n");
    expect((await execIn({ uid }, shell(quiet(attack)))).out).toBe("checked\n");
    const within = await run({ uid, command: shell(`${nested} sh -c '${quiet(attack)}'`) });
    expect(within.out).toMatch(/^(checked\n)?$/);
  });

  test.each([0, 1234])("user %i of an image has no access to the kernel or this machine", async (uid) => {
    const programs = ["/bin/mount", "/bin/umount", "/usr/bin/unshare", "/usr/bin/nsenter"];
    const root = imageRoot(programs);
    // A second root inside, to leave the first one by a working directory outside the second.
    imageRoot(programs, `${root}/sub`);
    const mounts = imageMounts(root);
    const env = { PATH: "/bin:/usr/bin" };
    const secret = file("secret", "of this machine");
    const leave = `nsenter --root=/sub --wd=/ -- /bin/sh -c 'read -r line < ..${secret} && echo "$line"; read -r line < ../../..${secret} && echo "$line"; read -r line < /proc/1/root${secret} && echo "$line"'`;
    const all = quiet([attack, `${nested} sh -c '${quiet(attack)}'`, leave, "echo end"].join("\n"));
    const options = { uid, mounts, env, workingDirectory: "/" };
    expect((await run({ ...options, command: shell(all) })).out).toMatch(/^(checked\n){1,2}end\n$/);
    expect((await execIn(options, shell(all))).out).toMatch(/^(checked\n){1,2}end\n$/);
    const inside = await run({
      ...options,
      command: shell("echo /proc/[0-9]*; echo ..*; [ -e /usr/bin/setpriv ] || echo own"),
    });
    expect(inside.out).toMatch(/^(\/proc\/\d+ ?){1,4}\n\.\.\nown\n$/);
  });

  test("an additional command in an image has the user namespace and root of the image's processes", async () => {
    const mounts = imageMounts(imageRoot(["/usr/bin/readlink"]));
    for (const uid of [0, 1234]) {
      const options = { uid, mounts, env: { PATH: "/bin:/usr/bin" }, workingDirectory: "/run" };
      const facts = "ns/user ns/mnt root cwd".split(" ");
      const of = (id: string) => `readlink ${facts.map((name) => `/proc/${id}/${name}`).join(" ")}`;
      const { out } = await execIn(options, shell(`${of("$$")}; ${of("$(cat /run/id)")}`));
      expect(out).toMatch(/^(user:\[\d+\]\nmnt:\[\d+\]\n\/\n\/run\n)\1$/);
    }
  });

  const masks = { CHOWN: 0, DAC_OVERRIDE: 1, FOWNER: 3, FSETID: 4, KILL: 5, SETGID: 6, SETUID: 7, SETPCAP: 8 };
  const bits = {
    ...masks,
    NET_BIND_SERVICE: 10,
    NET_RAW: 13,
    IPC_LOCK: 14,
    SYS_CHROOT: 18,
    SYS_NICE: 23,
    AUDIT_WRITE: 29,
  };
  const maskOf = (capabilities: readonly (keyof typeof bits | "SETFCAP")[]) =>
    capabilities
      .reduce((mask, name) => mask | (1n << BigInt(name === "SETFCAP" ? 31 : bits[name])), 0n)
      .toString(16)
      .padStart(16, "0");
  const status = shell("grep -E 'Cap(Inh|Prm|Eff|Amb)' /proc/self/status | cut -f2 | tr '\\n' ' '");

  test.each([
    ["by default", defaultCapabilities],
    ["with ALL dropped", capabilitiesOf({ drop: ["ALL"] })],
    ["with one added and one dropped", capabilitiesOf({ add: ["NET_RAW"], drop: ["CHOWN"] })],
  ])("user 0 has exactly its capabilities %s, and other users none", async (_, capabilities) => {
    const none = maskOf([]);
    const mask = isSwitched || choice === "unshare" ? maskOf(capabilities) : none;
    // In the user namespace that `unshare` creates, which owns no other namespace, user 0 has all capabilities.
    const isFull = choice === "unshare" && user === "ordinary" && capabilities === defaultCapabilities;
    const expected = isFull ? /^0{16} ([0-9a-f]{16}) \1 0{16} $/ : undefined;
    for (const { out } of [
      await run({ uid: 0, capabilities, command: status }),
      await execIn({ uid: 0, capabilities }, status),
    ])
      expect(out).toEqual(
        expected === undefined ? `${none} ${mask} ${mask} ${none} ` : expect.stringMatching(expected),
      );
    for (const { out } of [await run({ capabilities, command: status }), await execIn({ capabilities }, status)])
      expect(out).toBe(`${none} ${none} ${none} ${none} `);
  });

  test("user 0 of an image has only its capabilities if it drops some", async () => {
    const mounts = imageMounts(imageRoot(["/usr/bin/grep", "/usr/bin/cut", "/usr/bin/tr"]));
    const own = { env: { PATH: "/bin:/usr/bin", "db.user": "me" }, mounts, workingDirectory: "/run" };
    for (const capabilities of [capabilitiesOf({ drop: ["ALL"] }), capabilitiesOf({ drop: ["CHOWN", "SYS_CHROOT"] })]) {
      const mask = maskOf(capabilities);
      const expected = `${maskOf([])} ${mask} ${mask} ${maskOf([])} `;
      expect((await run({ ...own, uid: 0, capabilities, command: status })).out).toBe(expected);
      expect((await execIn({ ...own, uid: 0, capabilities }, status)).out).toBe(expected);
      const location = shell("cat /own; pwd; tr '\\0' '\\n' < /proc/$$/environ | grep ^db");
      const seen = "image/run\ndb.user=me\n";
      expect(await run({ ...own, uid: 0, capabilities, command: location })).toMatchObject({ out: seen });
      expect((await execIn({ ...own, uid: 0, capabilities }, location)).out).toBe(seen);
    }
  });

  test.each(["programs of this machine", "an image"])(
    "creates no mount point outside of a volume, on %s",
    async (root) => {
      const outside = `${directory}/outside`;
      const volume = `${directory}/volume-${root.length}`;
      for (const path of [outside, volume, `${volume}/sub`]) host.files.makeDirectory(path);
      for (const [name, target] of [
        ["host", outside],
        ["oldroot", `/oldroot${outside}`],
        ["up", "../outside"],
        ["in", "sub"],
      ])
        host.files.link(target ?? "", `${volume}/${name}`);
      const base = root === "an image" ? imageMounts(imageRoot()) : hostRoot(host.files);
      const mounts = [...base, bind(volume, "/data", { readOnly: false })];
      const env = { PATH: "/bin:/usr/bin" };
      for (const name of ["host", "oldroot", "up"]) {
        const nested = bind(file("source", "content"), `/data/${name}/new/file`);
        await expect(
          run({ env, mounts: [...mounts, nested], workingDirectory: "/", command: shell("true") }),
        ).rejects.toThrow(`the mount point /data/${name}/new/file is not inside of /data`);
        await run({ env, mounts, workingDirectory: `/data/${name}/work`, command: shell("true") });
        expect(host.files.list(outside)).toEqual([]);
      }
      const nested = bind(file("source", "content"), "/data/in/new/file");
      const inside = { env, mounts: [...mounts, nested], workingDirectory: "/data/in/work" };
      const result = await run({ ...inside, command: shell("cat /data/sub/new/file; pwd -P") });
      expect(result).toMatchObject({ code: 0, out: "content/data/sub/work\n" });
    },
  );

  test("does not run if another directory was mounted than the selected one", async () => {
    const [selected, other] = ["selected", "other"].map((name) => `${directory}/${name}`);
    for (const path of [selected, other]) host.files.makeDirectory(path ?? "");
    const identity = host.files.identity(selected ?? "") ?? "";
    const mountOf = (source = "") => [...hostRoot(host.files), bind(source, "/data", { identity })];
    const command = shell("echo runs");
    expect(await run({ command, mounts: mountOf(selected) })).toMatchObject({ code: 0, out: "runs\n" });
    const rejected = await run({ command, mounts: mountOf(other) });
    expect([rejected.out, rejected.code === 0]).toEqual(["", false]);
    expect(`${rejected.cause} ${rejected.error}`).toContain("/data was replaced while it was mounted");
  });

  test.each(["programs of this machine", "an image"])("has a read-only root if requested, on %s", async (root) => {
    const shared = `${directory}/shared`;
    host.files.makeDirectory(shared);
    host.files.changeMode(shared, 0o777);
    const base = root === "an image" ? imageMounts(imageRoot()) : hostRoot(host.files);
    const mounts = [...base, bind(shared, "/data", { readOnly: false })];
    const paths = ["/x", "/tmp/x", "/run/x", "/var/x", "/data/x", "/dev/shm/x"];
    const command = shell(`for path in ${paths.join(" ")}; do if true > $path; then echo $path; fi; done 2>/dev/null`);
    const env = { PATH: "/bin:/usr/bin" };
    const result = await run({ env, uid: 0, mounts, workingDirectory: "/", isRootReadOnly: true, command });
    expect(result.out).toBe("/data/x\n/dev/shm/x\n");
    const writable = await run({ env, uid: 0, mounts, workingDirectory: "/", command });
    expect(writable.out).toMatch(/^\/x\n[\s\S]*\/data\/x\n\/dev\/shm\/x\n$/);
  });

  test.each([true, false])(
    "hides a directory of a mount, and shows a part of it again: read-only %s",
    async (readOnly) => {
      const home = `${directory}/home`;
      for (const path of [`${home}/state/uploads`, `${home}/data`]) host.files.makeDirectory(path);
      for (const name of ["state/token", "state/uploads/jar", "data/x"]) file(`home/${name}`, name);
      const uploads = bind(`${home}/state/uploads`, "/home/me/state/uploads");
      const mask = { kind: "temporary", target: "/home/me/state", mode: 0o755, isMask: true } as const;
      const mounts = [...hostRoot(host.files), uploads, bind(home, "/home/me", { readOnly }), mask, uploads];
      const { out } = await run({ uid: 0, mounts, command: shell("cd /home/me; find . -type f | sort") });
      expect(out).toBe("./data/x\n./state/uploads/jar\n");
      expect(host.files.list(`${home}/state`)).toEqual(["token", "uploads"]);
    },
  );

  test("has the devices of a container runtime, and its own namespaces", async () => {
    const { out } = await run({ command: shell("ls /dev; readlink /proc/self/ns/*") });
    const [devices = "", namespaces = ""] = out.split(/(?=cgroup:)/);
    const always = ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"];
    expect(devices.split("\n").filter((name) => !["", "core", "ptmx", "pts"].includes(name))).toEqual(always);
    const shared = namespaces
      .trim()
      .split("\n")
      .filter((namespace) => host.files.readLink(`/proc/self/ns/${namespace.split(":")[0]}`) === namespace);
    const names = shared.map((namespace) => namespace.split(":")[0]);
    expect(new Set(names)).toEqual(new Set(["net", "time", ...(isSwitched ? ["user"] : [])]));
  });

  test("hides the rest of this machine", async () => {
    file("secret", "of this machine");
    const script = `cat ${directory}/secret /proc/1/root${directory}/secret; ls /sys /home /.host; true`;
    const { out } = await run({ uid: 0, command: shell(quiet(script)), mounts: hostRoot(host.files) });
    expect(out).toBe("");
  });
});

describe.each(["bwrap", "unshare"] as const)("the %s sandbox with a mount inside a mounted directory", (choice) => {
  beforeEach(requires("the permission to mount"));
  // Each program runs in a mount namespace in which `inner` is another file system.
  const mounting = 'mkdir -p "$0" && mount -t tmpfs -o mode=1777 none "$0" && exec "$@"';
  const runner = sandboxRunner({ choice, user: "current" }, (host) => ({
    ...host,
    spawn: (command, args, options) =>
      host.spawn("unshare", ["-m", "sh", "-c", mounting, `${outer()}/inner directory`, command, ...args], options),
  }));
  const outer = () => `${runner.directory}/outer`;

  test.each([
    [true, ["ro,nosuid,nodev", "ro,nosuid,nodev"]],
    [false, ["rw,nosuid,nodev", "rw,nosuid,nodev"]],
  ])("limits both mounts: read-only %s", async (readOnly, expected) => {
    const mounts = [...hostRoot(runner.host.files), bind(outer(), "/data", { readOnly })];
    const command = shell("grep ' /data' /proc/self/mountinfo | cut -d' ' -f6 | sed 's/,relatime//'");
    const { out } = await runner.run({ uid: 0, mounts, command });
    expect(out.trim().split("\n")).toEqual(expected);
  });
});
