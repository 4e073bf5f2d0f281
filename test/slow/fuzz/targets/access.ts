import { testHost } from "../../../../src/host/test-host.ts";
import { parseStatus } from "../../../../src/kube/status.ts";
import { parseWatchEvent } from "../../../../src/kube/watch-event.ts";
import { parseExecCredential } from "../../../../src/kube-client/auth/exec-credential.ts";
import { readKubeconfig } from "../../../../src/kube-client/auth/kubeconfig.ts";
import { tokenExpiry } from "../../../../src/kube-client/auth/token-expiry.ts";
import { parseRetryAfter } from "../../../../src/kube-client/retry-after.ts";
import { parseFetched } from "../../../../src/s3/credentials/fetched.ts";
import { parseIni } from "../../../../src/s3/credentials/ini.ts";
import { type FuzzTarget, hasMessage } from "../target.ts";

/** Credentials, and short texts from a Kubernetes API. */
export const accessTargets: readonly FuzzTarget[] = [
  {
    name: "kubeconfig",
    async run(input) {
      const host = testHost({ files: { "/home/tester/.kube/config": input } });
      const options = { mergesFiles: true, unknownContextFallsBack: true, log: () => undefined };
      await readKubeconfig(host, { ...options, rules: "spark" });
      await readKubeconfig(host, { ...options, rules: "kubectl" });
    },
  },
  {
    name: "exec-credential",
    run: (input) => parseExecCredential(input.toString(), "client.authentication.k8s.io/v1"),
  },
  { name: "token-expiry", run: (input) => tokenExpiry(input.toString()) },
  {
    name: "aws-credentials",
    isExpected: hasMessage(/^test (did not return JSON|returned no keys)$/),
    run(input) {
      parseIni(input.toString());
      parseFetched(input.toString(), "test");
    },
  },
  {
    name: "api-status",
    run(input) {
      const text = input.toString();
      parseStatus(500, text);
      parseRetryAfter(text, 0);
      parseWatchEvent(text);
    },
  },
];
