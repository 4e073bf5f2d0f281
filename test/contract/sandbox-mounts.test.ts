import { describe, expect, test } from "vitest";
import { hostRoot } from "../../src/local-cluster/sandbox/host-root.ts";
import { bind, sandboxCases, sandboxRunner, shell } from "./sandbox-runner.ts";

describe.each(sandboxCases(["bwrap", "unshare", "process"]))("the $choice sandbox of the $user user", (sandbox) => {
  const { choice } = sandbox;
  const { host, directory, start, run, file, imageRoot } = sandboxRunner(sandbox);

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
});
