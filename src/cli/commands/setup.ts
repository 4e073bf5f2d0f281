import { authenticateDriver, executorServiceAccountName } from "../../conf/entries/authenticate.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { quoteForShell } from "../../host/quote-for-shell.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { AppliedObject } from "../../masters/kubernetes/setup/apply-objects.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { NamespaceSetup } from "../../setup/namespace-objects.ts";
import { namespaceNames, parseSetup, setupOptions } from "../../setup/parse-setup.ts";
import { featureNames, features } from "../../setup/permissions.ts";
import { printYaml } from "../dry/print-yaml.ts";
import { withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { selectCommand } from "../select-command.ts";

const featureRows = featureNames.map(
  (name) => `                            ${name.padEnd(12)} ${features[name].summary}\n`,
);

const setupUsage = `Usage: firesteel setup <command> [options]

Prepare a cluster for submissions.

  namespace  create a namespace with the accounts and permissions that submissions need

For the options of a command, run: firesteel setup <command> --help
`;

const namespaceUsage = `Usage: firesteel setup namespace NAME [options]

Create a namespace with the service accounts, roles and bindings that submissions and Spark's drivers need. You can
repeat the command, also with other options: it creates or changes objects, and deletes nothing.

Options:
  --print                   print the objects as YAML, for kubectl apply; no API is contacted
  --service-account NAME    service account of drivers (default: spark)
  --submitter SUBJECT       account that may submit: user:NAME, group:NAME, serviceaccount:NAME or serviceaccount:NAMESPACE:NAME;
                            repeatable (default: serviceaccount:NAME-submitter, after the account of drivers)
  --executor-service-account NAME
                            service account of executors, without permissions (default: that of drivers)
  --allow LIST              further permissions, separated by commas:
${featureRows.join("")}\
  --quota LIST              limits of a ResourceQuota, e.g. cpu=20,memory=64Gi,pods=50
  --network-policy          let only Spark's pods of the namespace connect to them
  --context NAME            context of the kubeconfig (default: the current context)
  --master URL              k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig)
  --conf, --properties-file and similar options are those of spark-submit
`;

/** Runs `firesteel setup`. @returns the exit code */
export async function runSetupCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  const selected = selectCommand(host, args, {
    group: "setup",
    usage: setupUsage,
    usages: { namespace: namespaceUsage },
  });
  if (selected.command === undefined) return selected.exitCode;
  const { own, positionals, rest } = parseInterleavedArgs(selected.rest, {
    flags: ["--print", "--network-policy"],
    values: [...Object.values(setupOptions), "--context"],
  });
  const [name, ...others] = positionals;
  throwIssues([
    ...(name === undefined ? [namespaceMissing()] : []),
    ...others.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })),
  ]);
  const setup = parseSetup({ namespace: name ?? "", values: own.values, isIsolated: own.has("--network-policy") });
  const { namespaceObjects } = await import("../../setup/namespace-objects.ts");
  const objects = namespaceObjects(setup);
  if (own.has("--print")) {
    for (const object of objects) host.stdout.write(`---\n${await printYaml(object)}`);
    return exitCodes.ok;
  }
  const commandLine = parseCommandLineSettings(rest, { context: own.value("--context") });
  const command = ["firesteel", "setup", ...args].map(quoteForShell).join(" ");
  const report = ({ action, reference }: AppliedObject) =>
    host.stdout.write(`${visibleLine(`${action} ${reference}`)}\n`);
  const { setUpNamespace } = await import("../../masters/kubernetes/setup/set-up-namespace.ts");
  const machine = await withLauncherEnvironment(host);
  await withEmbedded(machine, (openEmbedded) =>
    setUpNamespace({ host: machine, commandLine, objects, command, report, openEmbedded, openClient }),
  );
  host.stdout.write(
    `Submit with:${settingsOf(setup)
      .map((setting) => ` --conf ${setting}`)
      .join("")}\n`,
  );
  return exitCodes.ok;
}

function namespaceMissing(): Issue {
  return issue("SUBMIT_ERR_ARGUMENT_MISSING", {
    ...{ command: "setup namespace", what: "the name of a namespace", allowed: namespaceNames, example: "spark-jobs" },
  });
}

/** Returns the settings of submissions to the namespace. */
function settingsOf({ namespace, driverAccount, executorAccount }: NamespaceSetup): readonly string[] {
  return [
    `${namespaceEntry.key}=${namespace}`,
    `${authenticateDriver.serviceAccountName.key}=${driverAccount}`,
    ...(executorAccount === undefined ? [] : [`${executorServiceAccountName.key}=${executorAccount}`]),
  ];
}
