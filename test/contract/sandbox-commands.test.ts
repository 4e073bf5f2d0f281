import { describe, expect, test } from "vitest";
import { hostRoot } from "../../src/local-cluster/sandbox/host-root.ts";
import type { ExecRequest, Mount } from "../../src/local-cluster/sandbox/sandbox.ts";
import { sandboxCases, sandboxRunner, shell } from "./sandbox-runner.ts";

describe.each(sandboxCases(["bwrap", "unshare", "process"]))("the $choice sandbox of the $user user", (sandbox) => {
  const { choice } = sandbox;
  const { host, start, run, imageRoot } = sandboxRunner(sandbox);
  const isolated = choice === "process" ? () => {} : test;

  interface ExecOptions extends Partial<ExecRequest> {
    readonly input?: string;
    readonly uid?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly mounts?: readonly Mount[];
    /** Script that the container's own command runs first. */
    readonly made?: string;
  }

  describe("an additional command", () => {
    /** Runs a command in a container that waits to be killed. */
    async function exec(
      command: [string, ...string[]],
      { uid = 185, mounts = hostRoot(host.files), made = "true", env, ...options }: ExecOptions = {},
    ) {
      let reportReady = () => {};
      const isReady = new Promise<void>((resolve) => {
        reportReady = resolve;
      });
      const { start: started } = await start({
        command: shell(`echo here > /tmp/file; ${made}; echo ready; read forever`),
        hasInput: true,
        env: { PATH: "/usr/bin:/bin", NAME: "of the container", SHELL: "/bin/false", ...env },
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

    test("has variables whose names are not those of a shell, as the container has", async () => {
      const command = shell("tr '\\0' '\\n' < /proc/$$/environ | grep '^my'; :");
      const env = { PATH: "/usr/bin:/bin", "my.name": "a b", "my-$x": '"$PATH"' };
      const lines = ["my.name=a b", 'my-$x="$PATH"'].sort().join("\n");
      expect((await run({ env, command })).out.trim().split("\n").sort().join("\n")).toBe(lines);
      const { code, out } = await exec(command, { env });
      expect([code, out.trim().split("\n").sort().join("\n")]).toEqual([0, lines]);
    });

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
});
