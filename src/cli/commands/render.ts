import { submitError } from "../../errors/submit-error.ts";
import type { SubmissionObject } from "../../explain/submission-objects.ts";
import type { Host } from "../../host/host.ts";
import type { KubeResource } from "../../kube/types.ts";
import { transportRules } from "../../plan/transports/choose-transport.ts";
import { objectChooser } from "../dry/choose-objects.ts";
import { type DrySubmission, drySubmission } from "../dry/dry-submission.ts";
import { printYaml } from "../dry/print-yaml.ts";
import { splitLeadingOptions } from "../dry/split-leading-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../parse-options.ts";
import { printIssues } from "../print.ts";

/** What `firesteel render --help` shows. */
const renderUsage = `Usage: firesteel render [options] <words of a submission>

Shows every object that the submission would create, and the pod that its driver would ask for as executor 1. No API is
contacted and nothing is uploaded. The words are those of spark-submit; options of render come before them.

Options:
  -o, --output FORMAT     yaml, or json: one List (default: yaml)
  --only WHAT             driver, resources, executor, or kinds such as Service; several with commas (default: all)
  --seed TEXT             makes ids and times of this text, so that the same words always give the same objects
                          (default: as a submission would)
  --show-secrets          shows the data of Secrets
`;

/** `firesteel render …`: gives the exit code. */
export async function runRenderCommand(host: Host, args: readonly string[]): Promise<number> {
  const { own, submission } = splitLeadingOptions(args, {
    flags: ["--show-secrets", "--help", "-h"],
    values: ["-o", "--output", "--only", "--seed"],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submission.slice(0, 1))) {
    host.stdout.write(renderUsage);
    return exitCodes.ok;
  }
  const format = own.value("--output") ?? own.value("-o") ?? "yaml";
  if (format !== "yaml" && format !== "json")
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "--output", value: format, allowed: "yaml or json" });
  const isWanted = objectChooser(own.value("--only"));
  const dry = await drySubmission(host, submission, own.value("--seed"));
  const objects = dry.objects.objects
    .filter(({ part, object }) => isWanted(part, object.kind))
    .map(({ part, object }) => ({
      part,
      object: own.has("--show-secrets") ? object : withHiddenData(object),
    }));
  host.stdout.write(format === "json" ? printList(objects) : await printDocuments(dry, objects));
  host.stderr.write(printIssues(dry.objects.executorIssues, { form: "plain", strict: false }));
  return dry.objects.executorIssues.length === 0 ? exitCodes.ok : exitCodes.failed;
}

function withHiddenData(object: KubeResource): KubeResource {
  const { data } = object;
  if (object.kind !== "Secret" || typeof data !== "object" || data === null) return object;
  return { ...object, data: Object.fromEntries(Object.keys(data).map((key) => [key, hidden])) };
}

const hidden = "(hidden; --show-secrets shows it)";

function printList(objects: readonly SubmissionObject[]): string {
  const list = { apiVersion: "v1", kind: "List", items: objects.map(({ object }) => object) };
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

async function printDocuments(
  { driver }: DrySubmission,
  objects: readonly SubmissionObject[],
): Promise<string> {
  const uploads = driver.staged.uploads.map(
    ({ path, directory, name }) => `# Uploaded before: ${path} to ${directory}/${name}\n`,
  );
  const { localized } = driver.staged;
  const sent = localized === undefined ? undefined : transportRules[localized.transport].sent;
  const entries = sent === undefined ? [] : (localized?.entries ?? []);
  const comments = entries.map(({ path }) => `# Sent ${sent}: ${path}\n`);
  const documents: string[] = [];
  for (const { part, object } of objects) {
    documents.push(`---\n# ${descriptions[part]}\n${await printYaml(object)}`);
  }
  return [...uploads, ...comments, ...documents].join("");
}

const descriptions = {
  preResource: "Made before the driver's pod, which then owns it",
  driver: "The driver's pod",
  resource: "Owned by the driver's pod",
  executor: "Executor 1, as the driver will ask for it; the ids in its names will be others",
  executorResource: "A claim of executor 1, which the driver will make",
};
