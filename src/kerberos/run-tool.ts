import type { Host } from "../host/host.ts";

/** Result of a program. */
interface ToolResult {
  /** 127 if the program is not installed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Time after which a program is ended. The libraries wait up to half a minute for a KDC that does not respond. */
const limitMs = 60_000;
const maxOutputBytes = 64 * 1024;

/** Runs a program of Kerberos with messages in English. */
export async function runTool(
  host: Host,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ToolResult> {
  const child = host.spawn(command, args, { env: { ...host.env, LC_ALL: "C", ...env }, stdin: "ignore" });
  const texts = ["", "", ""];
  for (const descriptor of [1, 2])
    child.onOutput(descriptor, (chunk) => {
      texts[descriptor] = `${texts[descriptor]}${Buffer.from(chunk)}`.slice(0, maxOutputBytes);
    });
  const cancel = host.clock.after(limitMs, () => child.kill("SIGKILL"));
  const { code, error } = await child.exited;
  cancel();
  const late = code === 137 ? `it did not end within ${limitMs / 1000} s` : "";
  return { code, stdout: texts[1] ?? "", stderr: (texts[2] || error || late).trim() };
}
