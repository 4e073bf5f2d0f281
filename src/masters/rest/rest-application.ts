import type { Behaviors } from "../../conf/behaviors.ts";
import { masterRestEnabled } from "../../conf/entries/app.ts";
import { driverCores, driverMemory, driverSupervise } from "../../conf/entries/driver.ts";
import type { Setting } from "../../conf/setting.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { unknownFiresteelSettingIssues } from "../../plan/ignored-settings.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { prepareApplication } from "../../resolve/prepare-application.ts";
import { rejectIfAny } from "../../resolve/reject.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { printChildMain } from "../../resolve/verbose.ts";

/** An application for a master that runs drivers itself. */
export interface RestApplication {
  readonly request: ApplicationRequest;
  /** As sent to the master. A program in Python or R, which only Mesos accepts, has no class. */
  readonly mainClass: string;
}

/** Returns whether to use the gateway: unless disabled, or as Spark, only if enabled. */
function usesGateway(conf: SparkConf, { restGateway }: Pick<Behaviors, "restGateway">): boolean {
  return restGateway === "spark" || conf.has(masterRestEnabled) ? conf.get(masterRestEnabled) : true;
}

/**
 * Prepares an application, and shows with `--verbose` what Apache's front end would start.
 *
 * @throws SubmitError with all problems; SUBMIT_ERR_LEGACY_GATEWAY, SUBMIT_ERR_MESOS_REST where the gateway is not used
 */
export async function prepareForGateway(submission: ResolvedSubmission): Promise<RestApplication> {
  const { master, version, behaviors, invocation, host } = submission;
  const { manager } = master;
  const settings = withSupervise(submission);
  const { request, issues } = await prepareApplication(submission, {
    ...{ manager, master: master.text, settings, version },
  });
  rejectIfAny(
    [...issues, ...unknownFiresteelSettingIssues(request.conf), ...request.conf.check([masterRestEnabled])],
    behaviors,
  );
  const isGateway = usesGateway(request.conf, behaviors);
  if (!isGateway && manager === "mesos") throw submitError("SUBMIT_ERR_MESOS_REST", {});
  const application = { request, mainClass: request.appResource.kind === "java" ? request.mainClass : "" };
  if (invocation.verbose) {
    const child = isGateway ? gatewayClient(application) : legacyClient(application, master.text);
    host.stderr.write(printChildMain({ ...request, ...child }));
  }
  if (!isGateway) throw submitError("SUBMIT_ERR_LEGACY_GATEWAY", { master: master.text });
  return application;
}

/** Returns whether to supervise the driver. Spark ignores the setting and always writes the option; Firesteel honors both. */
function withSupervise({ read, invocation, behaviors }: ResolvedSubmission): ReadonlyMap<string, Setting> {
  const { key } = driverSupervise;
  if (behaviors.supervise === "setting" && !invocation.supervise && read.settings.has(key)) return read.settings;
  const origin = invocation.supervise
    ? ({ kind: "option", option: "supervise" } as const)
    : ({ kind: "client", why: "preparation" } as const);
  return new Map([...read.settings, [key, { key, value: String(invocation.supervise), origin }]]);
}

function gatewayClient({ request, mainClass }: RestApplication) {
  const { appResource, appArgs } = request;
  return {
    mainClass: "org.apache.spark.deploy.rest.RestSubmissionClientApp",
    args: [appResource.uri, { verbatim: mainClass }, ...appArgs],
  };
}

function legacyClient({ request, mainClass }: RestApplication, master: string) {
  const { appResource, appArgs, conf } = request;
  const setting = (option: string, key: string) => {
    const value = conf.text(key);
    return value === undefined ? [] : [option, value];
  };
  return {
    mainClass: "org.apache.spark.deploy.ClientApp",
    args: [
      ...(orThrow(conf.read(driverSupervise)) ? ["--supervise"] : []),
      ...setting("--memory", driverMemory.key),
      ...setting("--cores", driverCores.key),
      ...["launch", master, appResource.uri, { verbatim: mainClass }],
      ...appArgs,
    ],
  };
}
