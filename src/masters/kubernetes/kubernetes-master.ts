import type { MasterStrategy } from "../master-strategy.ts";
import { submitToKubernetes } from "./submit-to-kubernetes.ts";

/** Submits to a Kubernetes API in cluster mode. */
export const kubernetesMaster: MasterStrategy = {
  submit: submitToKubernetes,
  async operate(operation, context) {
    const { operateOnKubernetes } = await import("./operations/operate-on-kubernetes.ts");
    return operateOnKubernetes(operation, context);
  },
  async render(submission, options) {
    const { renderSubmission } = await import("./render-submission.ts");
    return renderSubmission(submission, options);
  },
};
