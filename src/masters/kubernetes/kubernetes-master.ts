import type { MasterStrategy } from "../master-strategy.ts";
import { type DraftRequest, draftRequest } from "./draft-request.ts";
import { checkDriver } from "./prepare-driver.ts";
import { submitDraft } from "./submit-request.ts";

/** Submits to a Kubernetes API in cluster mode. */
export const kubernetesMaster: MasterStrategy = {
  async submit(submission, context) {
    const { host, log, invocation } = submission;
    const check = (unopened: DraftRequest) => checkDriver(host, unopened, context.extraSteps);
    const draft = await draftRequest(submission, { ...context, check });
    return submitDraft({ host, log, context, verbose: invocation.verbose }, draft);
  },
  async operate(operation, context) {
    const { operateOnKubernetes } = await import("./operations/operate-on-kubernetes.ts");
    return operateOnKubernetes(operation, context);
  },
  async render(submission, options) {
    const { renderSubmission } = await import("./render-submission.ts");
    return renderSubmission(submission, options);
  },
};
