import type { Container } from "../../../kube/types.ts";
import type { CheckResult, CheckTarget } from "./check.ts";
import { commandCheck } from "./command-check.ts";
import { httpCheck } from "./http-check.ts";

/** Handler that a container's spec defines to run after its start or before its end. */
export type Hook = NonNullable<NonNullable<Container["lifecycle"]>["preStop"]>;

/**
 * Kubernetes has no such timeout; without one, a server that accepts and never responds would block its pod
 * permanently.
 */
const httpTimeoutMs = 60_000;

/** Runs a hook to completion, regardless of how long it takes. Never rejects. */
export async function runHook(target: CheckTarget, hook: Hook): Promise<CheckResult> {
  try {
    return await run(target, hook);
  } catch (error) {
    return { isOk: false, output: error instanceof Error ? error.message : String(error) };
  }
}

async function run(target: CheckTarget, hook: Hook): Promise<CheckResult> {
  if (hook.exec !== undefined) return commandCheck(target, hook.exec.command ?? [], undefined);
  if (hook.httpGet !== undefined) return httpCheck(target, hook.httpGet, httpTimeoutMs);
  if (hook.sleep !== undefined) {
    await target.clock.sleep(hook.sleep.seconds * 1000);
    return { isOk: true, output: "" };
  }
  return { isOk: false, output: "invalid handler" };
}
