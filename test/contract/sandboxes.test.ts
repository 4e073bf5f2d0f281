import { describe, expect, test } from "vitest";
import { hostRoot } from "../../src/local-cluster/sandbox/host-root.ts";
import { boundsOf } from "../../src/local-cluster/sandbox/resource-bounds.ts";
import type { ExecRequest, Mount } from "../../src/local-cluster/sandbox/sandbox.ts";
import { bind, sandboxCases, sandboxRunner, shell } from "./sandbox-runner.ts";

describe.each(sandboxCases(["bwrap", "unshare", "process"]))("the $choice sandbox of the $user user", (sandbox) => {
  const { choice } = sandbox;
  const { host, directory, start, run, file, imageRoot } = sandboxRunner(sandbox);
  const isolated = choice === "process" ? () => {} : test;

  test("forwards both outputs and the exit code", async () => {
    const result = await run({ command: shell("echo out; echo error >&2; exit 42") });
    expect(result).toMatchObject({ code: 42, out: "out\n", error: "error\n", startError: undefined });
  });

  test("allows a script to open its outputs by name", async () => {
    const result = await run({ command: shell("echo a > /dev/stdout; echo b > /dev/stderr") });
    expect(result).toMatchObject({ out: "a\n", error: "b\n" });
  });

  test("sets exactly the environment and the working directory", async () => {
    const result = await run({
      command: shell('echo "$NAME $(pwd) ${HOME-none}"'),
      env: { PATH: "/usr/bin:/bin", NAME: "a'b c\"d$e" },
      workingDirectory: "/srv/new directory",
    });
    expect(result.out).toMatch(/^a'b c"d\$e \/.*srv\/new directory none\n$/);
  });

  test("runs an image with its own files, and isolates a container's changes", async () => {
    const root = imageRoot();
    const mounts = [
      { kind: "bind", source: root, target: "/", readOnly: false, isCopyOnWrite: true },
      bind(file("token", "t"), "/var/run/secrets/token"),
    ] as const;
    const command = shell("cat /own /var/run/secrets/token; echo new > /own; cat /own; echo $PWD; exit 3");
    const result = await run({ mounts, command, workingDirectory: "/w", uid: 1234, env: { PATH: "/bin" } });
    const cause = "the image has a root of its own, which requires mounts";
    expect(result).toMatchObject(
      choice === "process" ? { cause: expect.stringContaining(cause) } : { out: "imagetnew\n/w\n", error: "", code: 3 },
    );
    expect(host.files.readText(`${root}/own`)).toBe("image");
    expect(host.files.list(`${root}/run`)).toEqual([]);
  });

  isolated("hides from the container how its processes are identified", async () => {
    const result = await run({ command: shell('echo "$FIRESTEEL_SANDBOX"none') });
    expect(result.out).toBe("none\n");
  });

  test("has a runtime's umask, and the requested preference when the kernel kills for lack of memory", async () => {
    const command = shell("umask; cat /proc/self/oom_score_adj");
    const before = process.umask(0o077);
    try {
      expect((await run({ oomScoreAdjustment: 987, command })).out).toBe("0022\n987\n");
    } finally {
      process.umask(before);
    }
  });

  test("reports a signal as 128 plus its number", async () => {
    const result = await run({ command: shell("kill -9 $$") });
    expect(result.code).toBe(137);
  });

  test.each([
    ["nosuch", 'exec: "nosuch": executable file not found in $PATH'],
    ["/usr/bin/nosuch", 'exec: "/usr/bin/nosuch": stat /usr/bin/nosuch: no such file or directory'],
    ["/usr/bin", 'exec: "/usr/bin": permission denied'],
  ])("rejects a program that cannot run: %s", async (name, reason) => {
    const result = await run({ command: [name] });
    expect(result.cause).toBe(reason);
  });

  test("delivers SIGTERM to the command, whose handler runs", async () => {
    let ready = () => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const { start: started, out } = await start({
      command: shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done"),
      onOutput: () => ready(),
    });
    if (!started.started) throw new Error(started.startError);
    await isReady;
    started.container.signal("SIGTERM");
    expect((await started.container.exited).code).toBe(7);
    expect(out()).toBe("ready\nbye\n");
  });

  test("SIGKILL kills all its processes, including daemons", async () => {
    let reportPid = (_: number) => {};
    const daemon = new Promise<number>((resolve) => {
      reportPid = resolve;
    });
    const { start: started } = await start({
      command: shell("trap '' TERM; setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000"),
      onOutput: (_, chunk) => reportPid(Number(Buffer.from(chunk).toString("utf8"))),
    });
    if (!started.started) throw new Error(started.startError);
    await daemon;
    started.container.signal("SIGKILL");
    expect((await started.container.exited).code).toBe(137);
  });

  interface ExecOptions extends Partial<ExecRequest> {
    readonly input?: string;
    readonly uid?: number;
    readonly mounts?: readonly Mount[];
    /** Script that the container's own command runs first. */
    readonly made?: string;
  }

  describe("an additional command", () => {
    /** Runs a command in a container that waits to be killed. */
    async function exec(
      command: [string, ...string[]],
      { uid = 185, mounts = hostRoot(host.files), made = "true", ...options }: ExecOptions = {},
    ) {
      let reportReady = () => {};
      const isReady = new Promise<void>((resolve) => {
        reportReady = resolve;
      });
      const { start: started } = await start({
        command: shell(`echo here > /tmp/file; ${made}; echo ready; read forever`),
        hasInput: true,
        env: { PATH: "/usr/bin:/bin", NAME: "of the container", SHELL: "/bin/false" },
        ...{ uid, mounts, onOutput: () => reportReady() },
      });
      if (!started.started) throw new Error(started.startError);
      await isReady;
      let out = "";
      let error = "";
      const running = await started.container.exec({
        ...{ command, hasInput: options.input !== undefined, hasTerminal: false },
        ...options,
        onOutput(stream, chunk) {
          if (stream === "stdout") out += Buffer.from(chunk).toString("utf8");
          else error += Buffer.from(chunk).toString("utf8");
        },
      });
      const { input } = options;
      if (running.started && input !== undefined) {
        if (options.hasTerminal === true) running.command.resize({ rows: 33, columns: 101 });
        running.command.writeInput(Buffer.from(input));
        if (options.hasTerminal !== true) running.command.endInput();
      }
      const code = running.started ? await running.command.exited : running.startError;
      started.container.signal("SIGKILL");
      await started.container.exited;
      return { code, out, error };
    }

    test("has the container's files, variables, directory and user, and its own outputs and exit code", async () => {
      const script = 'cat /tmp/file; echo "$NAME $SHELL $(pwd)"; id -u; echo bad > /dev/stderr; exit 7';
      const result = await exec(shell(script));
      expect(result).toMatchObject({ code: 7, error: "bad\n" });
      const user = choice === "process" ? String(host.user.uid) : "185";
      expect(result.out).toMatch(new RegExp(`^here\nof the container /bin/false /.*tmp\n${user}\n$`));
    });

    test("reads its input to the end", async () => {
      expect(await exec(["wc", "-c"], { input: "1234567" })).toMatchObject({ code: 0, out: "7\n" });
      expect(await exec(["cat"])).toMatchObject({ code: 0, out: "" });
    });

    test("runs on a terminal of a specified size", async () => {
      const result = await exec(
        shell(
          'test -t 0 && test -t 1; read line; until stty size | grep 33; do sleep 0.02; done; echo "$line $SHELL $TERM"; exit 3',
        ),
        { hasTerminal: true, input: "typed\n" },
      );
      expect(result).toMatchObject({ code: 3, error: "" });
      expect(result.out.replaceAll("\r", "")).toBe("typed\n33 101\ntyped /bin/false xterm\n");
    });

    test("is rejected if the program does not exist", async () => {
      expect((await exec(["nosuch"])).code).toBe('exec: "nosuch": executable file not found in $PATH');
    });

    test("can be a program that the container created", async () => {
      const made = "echo '#!/bin/sh' > /tmp/made; echo 'echo made' >> /tmp/made; chmod +x /tmp/made";
      const result = await exec(["/tmp/made"], { made });
      expect(result).toMatchObject({ code: 0, out: "made\n" });
    });

    isolated("sees an image's files with the container's changes", async () => {
      const mounts = [
        { kind: "bind", source: imageRoot(), target: "/", readOnly: false, isCopyOnWrite: true },
      ] as const;
      const result = await exec(shell("cat /own; pwd; exit 3"), { mounts, made: "echo new > /own" });
      expect(result).toMatchObject({ code: 3, out: "new\n/tmp\n", error: "" });
    });

    test("ends with the container", async () => {
      const { start: started } = await start({ command: ["sleep", "1000"] });
      if (!started.started) throw new Error(started.startError);
      let reportReady = () => {};
      const isReady = new Promise<void>((resolve) => {
        reportReady = resolve;
      });
      const running = await started.container.exec({
        command: shell("echo ready; exec sleep 1000"),
        ...{ hasInput: false, hasTerminal: false, onOutput: () => reportReady() },
      });
      if (!running.started) throw new Error(running.startError);
      await isReady;
      started.container.signal("SIGKILL");
      expect(await running.command.exited).toBe(137);
    });

    isolated("has no more permissions than the container, even as root", async () => {
      const script = "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status | cut -f2; ls /proc | grep -c '^[0-9]'";
      for (const uid of [0, 185]) {
        const { out } = await exec(shell(script), { uid });
        const inside = await run({ uid, command: shell(script) });
        const [, , , processes, ...rest] = out.split("\n");
        expect(out.split("\n").slice(0, 3)).toEqual(inside.out.split("\n").slice(0, 3));
        expect(rest).toEqual([""]);
        expect(Number(processes)).toBeLessThan(10);
      }
    });
  });

  test("shows mounted files at the paths that the container uses", async () => {
    const source = file("conf.txt", "at /etc/app/conf.txt\n");
    const result = await run({
      command: ["cat", "/etc/app/conf.txt"],
      mounts: [...hostRoot(host.files), bind(source, "/etc/app/conf.txt", { texts: true })],
    });
    expect(result.out + result.error).toMatch(/^at \/.*etc\/app\/conf\.txt\n$/);
  });

  test("mounts inside a read-only directory without a mount point", async () => {
    host.files.makeDirectory(`${directory}/home/jars`);
    file("home/jars/a.jar", "");
    host.files.makeDirectory(`${directory}/conf`);
    file("conf/x.conf", "");
    const result = await run({
      command: ["ls", "/opt/app", "/opt/app/jars", "/opt/app/conf"],
      mounts: [
        ...hostRoot(host.files),
        bind(`${directory}/home`, "/opt/app"),
        bind(`${directory}/conf`, "/opt/app/conf"),
      ],
    });
    expect(result.out).toMatch(/:\nconf\njars\n\n.*:\nx\.conf\n\n.*:\na\.jar\n/);
    expect(host.files.list(`${directory}/home`)).toEqual(["jars"]);
  });

  test("writes to a writable directory, and sees a file that is rewritten in place", async () => {
    const shared = `${directory}/shared`;
    host.files.makeDirectory(shared);
    host.files.changeMode(shared, 0o777);
    file("shared/live", "one\n");
    const { start: started, out } = await start({
      command: shell(
        "cat /data/live; echo x > /data/written; while ! grep -q two /data/live; do sleep 0.05; done; cat /data/live",
      ),
      mounts: [...hostRoot(host.files), bind(shared, "/data", { readOnly: false })],
      onOutput: () => file("shared/live", "two\n"),
    });
    if (!started.started) throw new Error(started.startError);
    await started.container.exited;
    expect(out()).toBe("one\ntwo\n");
    expect(host.files.readText(`${shared}/written`)).toBe("x\n");
  });

  test("kills a container that exceeds its memory limit, and reports it", async () => {
    const result = await run({
      command: shell("head -c 600M /dev/zero | tail"),
      bounds: boundsOf({ resources: { limits: { memory: "64Mi" } } }),
    });
    expect(result).toMatchObject({ code: 137, outOfMemory: true, startError: undefined });
  });

  isolated("hides this machine's files and processes and shows its own name", async () => {
    const result = await run({
      command: shell("ls /root /home 2>&1; hostname; ls /proc | grep -c '^[0-9]'; id -u"),
    });
    const [first, second, name, processes, uid] = result.out.trim().split("\n");
    expect([first, second]).toEqual([expect.stringContaining("No such"), expect.stringContaining("No such")]);
    expect(name).toBe("pod-1");
    expect(Number(processes)).toBeLessThan(10);
    expect(uid).toBe("185");
  });

  isolated("preserves read-only mounts and drops all capabilities", async () => {
    const result = await run({
      command: shell("touch /usr/x 2>&1; grep -E 'CapEff|NoNewPrivs' /proc/self/status | cut -f2"),
    });
    expect(result.out).toMatch(/Read-only file system|Permission denied/);
    expect(result.out).toMatch(/\n0{16}\n1\n$/);
  });
});
