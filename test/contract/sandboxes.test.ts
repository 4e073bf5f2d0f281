import { describe, expect, test } from "vitest";
import { boundsOf } from "../../src/local-cluster/sandbox/resource-bounds.ts";
import { sandboxCases, sandboxRunner, shell } from "./sandbox-runner.ts";

describe.each(sandboxCases(["bwrap", "unshare", "process"]))("the $choice sandbox of the $user user", (sandbox) => {
  const { choice } = sandbox;
  const { start, run } = sandboxRunner(sandbox);
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
