/** Public API of the library: re-exports only. */
export { parseCommandLine } from "./command-line/parse.ts";
export { usageText } from "./command-line/usage.ts";
export type { SparkSettings } from "./conf/entries/spark-settings.ts";
export type { Setting, SettingOrigin } from "./conf/setting.ts";
export { SparkConf } from "./conf/spark-conf.ts";
export type { SparkLine, SparkVersion } from "./conf/spark-version.ts";
export { parseSparkVersion, sparkLines } from "./conf/spark-version.ts";
export type { Diagnosis, Evidence } from "./diagnosis/diagnosis.ts";
export type { ErrorCode } from "./errors/codes.ts";
export type { ErrorKind } from "./errors/error-code-entry.ts";
export type { Issue, Result } from "./errors/issue.ts";
export { isSubmitError, SubmitError } from "./errors/submit-error.ts";
export type { Contribution } from "./features/step.ts";
export type { Host } from "./host/host.ts";
export type { Log, LogLevel } from "./host/log.ts";
export { nodeHost } from "./host/node-host.ts";
export type { Transport } from "./kube/transport.ts";
export { type KubeClient, kubeClient } from "./kube-client/client.ts";
export { connect } from "./kube-client/connect.ts";
export type { ConnectOptions } from "./kube-client/connect-options.ts";
export { type SharedConnections, sharedConnections } from "./kube-client/shared-connections.ts";
export type { ApplicationState, ApplicationSummary } from "./masters/kubernetes/applications/application-summary.ts";
export type { ListedApplication } from "./masters/kubernetes/applications/list-applications.ts";
export type { ApplicationEvent } from "./masters/kubernetes/diagnose/application-events.ts";
export { type ResolveInput, resolve } from "./masters/kubernetes/draft-request.ts";
export type { SubmitRequestCall } from "./masters/kubernetes/submit-request.ts";
export { submit } from "./masters/submit.ts";
export type { SubmitCall } from "./masters/submit-invocation.ts";
export type { DriverEnd, ExitOutcome, KubernetesOutcome, SubmitOutcome } from "./masters/submit-outcome.ts";
export type { AppResource } from "./plan/app-resource.ts";
export { type DriverConf, planDriver } from "./plan/driver-conf.ts";
export type { Facts } from "./plan/facts.ts";
export type { Invocation, SubmitInvocation } from "./plan/invocation.ts";
export type { SubmitRequest } from "./plan/submit-request.ts";
export { readFacts } from "./resolve/read-facts.ts";
export type {
  Application,
  ApplicationStatus,
  FollowedState,
  KillOptions,
  LogOptions,
  WaitOptions,
} from "./sdk/application.ts";
export type { ApplicationOutcome } from "./sdk/application-outcome.ts";
export type {
  Credentials,
  ExtraSettings,
  FiresteelEnvironment,
  FiresteelOptions,
  LogLine,
} from "./sdk/client-options.ts";
export { Firesteel } from "./sdk/firesteel.ts";
export { FiresteelError } from "./sdk/firesteel-error.ts";
export type { ListOptions } from "./sdk/list-and-watch.ts";
export type { CallOptions, PythonOptions, SubmitOptions } from "./sdk/submit-options.ts";
export type { ApplicationChange } from "./sdk/unread-changes.ts";
export { buildDriverManifests, driverChecks } from "./spec/driver-spec.ts";
export type { Manifests } from "./spec/manifests.ts";
export {
  defineStep,
  type ObjectReference,
  type ReadObject,
  type StepConf,
  type UserStep,
} from "./spec/user-steps/user-step.ts";
