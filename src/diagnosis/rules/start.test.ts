import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, observe, waiting } from "../test-observation.ts";
import { diagnoseStart } from "./test-diagnose.ts";

const runc =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

describe("a container that the runtime cannot start, in the messages of", () => {
  test.each([
    [
      "runc",
      "StartError",
      `${runc}exec: "/opt/go.sh": stat /opt/go.sh: no such file or directory: unknown`,
      "command-not-found",
      "/opt/go.sh",
    ],
    [
      "runc, by PATH",
      "StartError",
      `${runc}exec: "run-it": executable file not found in $PATH: unknown`,
      "command-not-found",
      "run-it",
    ],
    [
      "Docker",
      "ContainerCannotRun",
      'OCI runtime create failed: container_linux.go:380: starting container process caused: exec: "run-it": executable file not found in $PATH: unknown',
      "command-not-found",
      "run-it",
    ],
    [
      "crun",
      "CreateContainerError",
      "container create failed: executable file `run-it` not found in $PATH: No such file or directory",
      "command-not-found",
      "run-it",
    ],
    [
      "runc, no right",
      "StartError",
      `${runc}exec: "/opt/go.sh": permission denied: unknown`,
      "command-not-executable",
      "/opt/go.sh",
    ],
    [
      "runc, another platform",
      "StartError",
      `${runc}exec /opt/go.sh: exec format error: unknown`,
      "exec-format-error",
      "exec format error",
    ],
    [
      "runc, no directory",
      "StartError",
      `${runc}chdir to cwd ("/nowhere") set in config.json failed: no such file or directory: unknown`,
      "working-directory-invalid",
      "/nowhere",
    ],
    [
      "runc, a file for a directory",
      "StartError",
      `${runc}error during container init: mkdir /nowhere: not a directory: unknown`,
      "working-directory-invalid",
      "/nowhere",
    ],
    [
      "containerd, a profile",
      "CreateContainerError",
      'failed to create containerd container: cannot load seccomp profile "/var/lib/kubelet/seccomp/profiles/strict.json": open /var/lib/kubelet/seccomp/profiles/strict.json: no such file or directory',
      "security-profile-missing",
      "strict.json",
    ],
    [
      "containerd, AppArmor",
      "CreateContainerError",
      "failed to create containerd container: apparmor profile not found k8s-strict",
      "security-profile-missing",
      "k8s-strict",
    ],
    [
      "containerd, a user",
      "CreateContainerError",
      "failed to create containerd container: mount callback failed: unable to find user app: no matching entries in passwd file",
      "user-unknown",
      "app",
    ],
    [
      "runc, a mount",
      "RunContainerError",
      `${runc}error during container init: error mounting "/x" to rootfs at "/etc/passwd": not a directory: unknown`,
      "container-start-failed",
      "not a directory",
    ],
  ])("%s", (_who, reason, message, cause, expectedText) => {
    const found = diagnoseStart(reason, message, {
      workingDir: cause === "working-directory-invalid" ? "/nowhere" : undefined,
    });
    expect(found.slice(0, cause.length + 1)).toBe(`${cause}:`);
    expect(found).toContain(expectedText);
  });

  test("runc, about a directory below a file, with only the file in the message", () => {
    const message = `${runc}error during container init: mkdir /etc/passwd: not a directory: unknown`;
    const found = diagnoseStart("StartError", message, { workingDir: "/etc/passwd/work" });
    expect(found).toMatch(/^working-directory-invalid: The working directory \/etc\/passwd\/work /);
    expect(diagnoseStart("StartError", message, { workingDir: "/etc/passwd-copy" })).toMatch(/^container-start-failed/);
  });

  test("an init container, with its name", () => {
    const spec = { initContainers: [{ name: "fetch" }], containers: [{ name: "spark-kubernetes-driver" }] };
    const states = {
      fetch: ended(128, {
        reason: "StartError",
        message: `${runc}exec: "get": executable file not found in $PATH: unknown`,
      }),
      main: waiting("PodInitializing"),
    };
    expect(diagnose(observe({ driver: driverPod({ spec, states }) }))).toMatchObject({
      cause: "command-not-found",
      message: expect.stringContaining("the init container fetch"),
    });
  });
});
