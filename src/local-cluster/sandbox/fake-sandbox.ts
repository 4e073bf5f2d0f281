import type { Clock } from "../../host/host.ts";
import type { CommandStart, ContainerExit, ExecRequest, Sandbox } from "./sandbox.ts";

/** Annotation with a container's script. A container without it runs until it receives a signal. */
const fakeScriptAnnotation = "firesteel.dev/fake";

/**
 * Simulates containers without running processes. A pod's annotation `firesteel.dev/fake` defines what its containers
 * do, as comma-separated pairs, all optional: `after=200,exit=3,log=some text` or `startError=exec: "x": not found`.
 * A container writes the log at its start and exits `after` ms later. `oom=true` ends it with an out-of-memory kill.
 */
export function fakeSandbox({ clock }: { readonly clock: Clock }): Sandbox {
  return {
    name: "fake",
    watchDirectory: () => {},
    stop: async () => {},
    async start({ annotations, onOutput }) {
      const script = parseScript(annotations[fakeScriptAnnotation] ?? "");
      const startError = script["startError"];
      if (startError !== undefined) return { started: false, startError };
      if (script["log"] !== undefined) onOutput("stdout", Buffer.from(`${script["log"]}\n`));
      let end = (_: ContainerExit) => {};
      const exited = new Promise<ContainerExit>((resolve) => {
        end = resolve;
      });
      const outOfMemory = script["oom"] === "true";
      const code = outOfMemory ? 137 : Number(script["exit"] ?? 0);
      if (script["exit"] !== undefined || outOfMemory) {
        clock.after(Number(script["after"] ?? 0), () => end({ code, startError: undefined, outOfMemory }));
      }
      const signalled = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGKILL: 137, SIGTERM: 143 };
      return {
        started: true,
        container: {
          signal: (signal) => end({ code: signalled[signal], startError: undefined, outOfMemory: false }),
          exited,
          exec: async (request) => echo(request),
        },
      };
    },
  };
}

/** Simulates an additional command: it prints its arguments, then its input. */
function echo({ command, hasInput, onOutput }: ExecRequest): CommandStart {
  let end = (_: number) => {};
  const exited = new Promise<number>((resolve) => {
    end = resolve;
  });
  onOutput("stdout", Buffer.from(`${command.join(" ")}\n`));
  const endInput = () => end(0);
  if (!hasInput) endInput();
  const writeInput = (chunk: Uint8Array, whenTaken = () => {}) => {
    onOutput("stdout", chunk);
    whenTaken();
  };
  return {
    started: true,
    command: { writeInput, endInput, resize: () => {}, hangUp: () => end(129), kill: () => end(137), exited },
  };
}

function parseScript(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair) => [pair.split("=", 1)[0] ?? "", pair.slice(pair.indexOf("=") + 1)]);
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}
