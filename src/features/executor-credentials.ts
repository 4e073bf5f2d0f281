import { executorServiceAccountName } from "../conf/entries/authenticate.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import type { FeatureStep } from "./step.ts";

/** Service account of an executor: its own, else the driver's, unless the template names one. */
export const executorCredentials: FeatureStep<ExecutorConf> = {
  name: "ExecutorKubernetesCredentialsFeatureStep",
  check: ({ conf }) => conf.check([executorServiceAccountName]),
  contribute: ({ conf, template }) => {
    const name = conf.get(executorServiceAccountName);
    const isNamed = template?.pod.spec?.serviceAccount !== undefined;
    return name === undefined || isNamed ? {} : { podSpec: { serviceAccount: name, serviceAccountName: name } };
  },
};
