import { SubmitError } from "../../errors/submit-error.ts";
import type { SubmissionObject } from "../../explain/submission-objects.ts";
import type { Host } from "../../host/host.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { KubeResource } from "../../kube/types.ts";
import { transportRules } from "../../plan/transports/choose-transport.ts";
import { reservedKeysOf } from "../applications/reserved-keys.ts";
import { splitDryArguments } from "../applications/split-dry-arguments.ts";
import { startsWithFile } from "../applications/starts-with-file.ts";
import { objectChooser } from "../dry/choose-objects.ts";
import { type DrySubmission, drySubmission } from "../dry/dry-submission.ts";
import { printYaml } from "../dry/print-yaml.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";
import type { ParsedOptions } from "../parsed-options.ts";
import { printIssues } from "../print.ts";
import { unknownChoice } from "../unknown-name.ts";

const renderUsage = `Usage: firesteel render [options] <spark-submit arguments>
       firesteel render [options] -f FILE [options of apply]
       firesteel render [options] --spark-application FILE

Print every object that the submission would create, and the pod that its driver would create as executor 1. No API is
contacted and nothing is uploaded. Put the options of render before the spark-submit arguments.

Options:
  -o, --output FORMAT     yaml, or json for one List (default: yaml)
  --json                  as --output json
  --only LIST             driver, resources, executor or kinds such as Service, separated by commas (default: all)
  --seed TEXT             seed for IDs and times, for reproducible output (default: random IDs, current time)
  --show-secrets          data of Secrets in the output
  -f, --file FILE         file with applications, as of apply, whose options can follow

With the file of a SparkApplication (sparkoperator.k8s.io/v1beta2), print what the Spark operator would make of it:
  --spark-application FILE
                          file of the SparkApplication, in YAML or JSON
  --operator-options FILE settings of the operator, such as ingressUrlFormat, in YAML or JSON
  --reserved-keys MODE    reject, or warn for keys of sparkConf that the operator rejects (default: reject)
  --master URL            cluster (default: the API of the pods' cluster)
`;

/** Runs `firesteel render`. @returns the exit code */
export async function runRenderCommand(host: Host, args: readonly string[]): Promise<number> {
  const { own, submission } = splitDryArguments(args, {
    flags: ["--show-secrets", "--json", "--help", "-h"],
    values: ["-o", "--output", "--only", "--seed", ...fileOptions],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submission.slice(0, 1))) {
    host.stdout.write(renderUsage);
    return exitCodes.ok;
  }
  const format = own.has("--json") ? "json" : (own.value("--output") ?? own.value("-o") ?? "yaml");
  if (format !== "yaml" && format !== "json")
    throw new SubmitError([unknownChoice({ option: "--output", value: format, choices: ["yaml", "json"] })]);
  const isSelected = objectChooser(own.value("--only"));
  const planned = await planAll(host, own, submission);
  const built = planned.map((dry) => ({ dry, ...dry.objects() }));
  const rendered = built.map(({ dry, objects }) => ({
    dry,
    objects: objects
      .filter(({ part, object }) => isSelected(part, object.kind))
      .map(({ part, object }) => ({ part, object: own.has("--show-secrets") ? object : withHiddenData(object) })),
  }));
  if (format === "json") host.stdout.write(printList(rendered.flatMap(({ objects }) => objects)));
  else for (const { dry, objects } of rendered) host.stdout.write(await printDocuments(dry, objects));
  const issues = built.flatMap(({ executorIssues }) => executorIssues);
  if (issues.length === 0) return exitCodes.ok;
  host.stderr.write(printIssues(issues, { form: "errorAndHint" }));
  return exitCodes.failed;
}

type RenderOptions = Pick<ParsedOptions<never, (typeof fileOptions)[number] | "--seed">, "value">;

/** Plans a submission, or the applications of files, without those that are suspended. */
async function planAll(
  host: Host,
  own: RenderOptions,
  submission: readonly string[],
): Promise<readonly DrySubmission[]> {
  const seed = own.value("--seed");
  if (own.value("--spark-application") !== undefined) return dryFile(host, own, submission);
  return startsWithFile(submission)
    ? (await import("../applications/dry-files.ts")).dryFiles(host, submission, { command: "render", seed })
    : [await drySubmission(host, submission, seed)];
}

const fileOptions = ["--spark-application", "--operator-options", "--reserved-keys"] as const;

async function dryFile(host: Host, own: RenderOptions, rest: readonly string[]): Promise<readonly DrySubmission[]> {
  const { value: master } = parseOptions(rest, { flags: [], values: ["--master"], maxPositionals: 0 });
  const { renderApplicationFile } = await import("./render-application.ts");
  const dry = await renderApplicationFile(host, {
    file: own.value("--spark-application") ?? "",
    operatorOptions: own.value("--operator-options"),
    reservedKeys: reservedKeysOf(own.value("--reserved-keys")),
    master: master("--master"),
    seed: own.value("--seed"),
  });
  return dry === undefined ? [] : [dry];
}

function withHiddenData(object: KubeResource): KubeResource {
  const { data } = object;
  if (object.kind !== "Secret" || typeof data !== "object" || data === null) return object;
  return { ...object, data: Object.fromEntries(Object.keys(data).map((key) => [key, hidden])) };
}

const hidden = "(hidden; use --show-secrets)";

function printList(objects: readonly SubmissionObject[]): string {
  const list = { apiVersion: "v1", kind: "List", items: objects.map(({ object }) => object) };
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

async function printDocuments({ driver }: DrySubmission, objects: readonly SubmissionObject[]): Promise<string> {
  const uploads = driver.staged.uploads.map(
    ({ path, directory, name }) => `# Uploaded first: ${visibleLine(`${path} to ${directory}/${name}`)}\n`,
  );
  const { localized } = driver.staged;
  const { transport = "remote", entries = [], remote = [] } = localized ?? {};
  const sent = transport === "remote" ? undefined : transportRules[transport].sent;
  const comments = [
    ...(sent === undefined ? [] : entries.map(({ path }) => `# Sent ${sent}: ${visibleLine(path)}\n`)),
    ...remote.map(({ shown }) => `# Fetched by the init container: ${visibleLine(shown)}\n`),
  ];
  const documents: string[] = [];
  for (const { part, object } of objects) {
    documents.push(`---\n# ${descriptions[part]}\n${await printYaml(object)}`);
  }
  return [...uploads, ...comments, ...documents].join("");
}

const descriptions = {
  preResource: "Created before the driver pod, which then owns it",
  driver: "Driver pod",
  resource: "Owned by the driver pod",
  executor: "Executor 1, as the driver will create it; with other IDs in its names",
  executorResource: "Claim of executor 1, created by the driver",
};
