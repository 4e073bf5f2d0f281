import { authenticateDriver, executorServiceAccountName } from "../conf/entries/authenticate.ts";
import {
  containerImagePullPolicy,
  containerImagePullSecrets,
  driverContainerImage,
  executorContainerImage,
} from "../conf/entries/image.ts";
import { namespace as namespaceEntry } from "../conf/entries/submission.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import type { PlannedPod, PlannedSubmission, Role } from "./submission.ts";

/** Builds what is known about a submission that cannot be planned: the namespace, accounts, images and pull secrets of its settings. */
export function sketchSubmission({ conf }: Pick<SubmitRequest, "conf">): PlannedSubmission {
  const imagePullPolicy = conf.readOrAbsent(containerImagePullPolicy);
  const imagePullSecrets = conf.readOrAbsent(containerImagePullSecrets).map((name) => ({ name }));
  const pod = (role: Role, image: string | undefined, serviceAccountName: string | undefined): PlannedPod => ({
    ...{ role, metadata: {} },
    spec: {
      ...(serviceAccountName !== undefined && { serviceAccountName }),
      imagePullSecrets,
      containers: image === undefined ? [] : [{ name: role, image, imagePullPolicy }],
    },
  });
  return {
    namespace: conf.readOrAbsent(namespaceEntry),
    ...{ conf, objects: [], executorConfMap: undefined },
    pods: [
      pod("driver", conf.readOrAbsent(driverContainerImage), conf.readOrAbsent(authenticateDriver.serviceAccountName)),
      pod("executor", conf.readOrAbsent(executorContainerImage), conf.readOrAbsent(executorServiceAccountName)),
    ],
  };
}
