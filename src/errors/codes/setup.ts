import { define } from "../error-code-entry.ts";

/** Codes about the set-up of namespaces. */
export const setupCodes = {
  SUBMIT_ERR_SETUP_FORBIDDEN: define<{ reference: string; reason: string; done: readonly string[]; command: string }>({
    kind: "cluster",
    text: ({ reference, reason, done }) =>
      `You may not set up ${reference}: ${reason}${done.length === 0 ? "" : ` (done before: ${done.join(", ")})`}`,
    hint: ({ command }) =>
      `Ask an administrator of the cluster to run this command, or to apply its output: ${command} --print | kubectl apply --server-side -f -`,
  }),
};
