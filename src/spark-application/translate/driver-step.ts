import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { KubeResource, Pod, StringMap } from "../../kube/types.ts";
import type { UserStep } from "../../spec/user-steps/user-step.ts";
import { addToPod } from "./add-to-pod.ts";
import { isUnusableMaster } from "./application-settings.ts";
import { monitoringObjects } from "./monitoring.ts";
import { podAdditions } from "./pod-additions.ts";
import { containerNames } from "./role-template.ts";
import { ingressUrl, serviceObjects } from "./services.ts";
import type { TranslationInput } from "./translation.ts";

/**
 * Builds the feature step that changes the finished pod of the driver, as the operator's webhook does, and that adds the further objects.
 *
 * @param preResources objects that must exist before the pod
 */
export function driverStep(input: TranslationInput, preResources: readonly KubeResource[]): UserStep {
  return {
    name: "SparkApplication",
    contribute: ({ appId }) => ({
      properties: { ...proxySettings(input, appId), ...masterSetting(input) },
      preResources,
      resources: ownedObjects(input, appId),
    }),
    transform: (pod: Pod) => ({
      ...pod,
      spec: addToPod(pod.spec ?? { containers: [] }, podAdditions(input, "driver"), {
        names: [containerNames.driver],
        otherwise: 0,
      }),
    }),
  };
}

/** Passes a master that the driver cannot use on, as the operator does. A warning names it. */
function masterSetting({ spec: { driver } }: TranslationInput): StringMap {
  const { kubernetesMaster } = driver;
  return isUnusableMaster(kubernetesMaster) ? { [fieldKeys.driverMaster]: kubernetesMaster } : {};
}

/** Builds the objects that the driver's pod owns, besides Spark's own. Services need a pod to select, which client mode does not have. */
export function ownedObjects(input: TranslationInput, appId: string): readonly KubeResource[] {
  const services = input.spec.mode === "client" ? [] : serviceObjects(input, appId);
  return [...monitoringObjects(input), ...services];
}

/** Returns the settings of a web UI behind an Ingress with a path. */
function proxySettings({ name, namespace, spec, options }: TranslationInput, appId: string): StringMap {
  const { ingressUrlFormat = "", disableUiService } = options;
  const url = ingressUrlFormat === "" ? undefined : ingressUrl(ingressUrlFormat, { name, namespace, appId });
  if (url === undefined || url.path === "" || disableUiService === true) return {};
  const values = { [fieldKeys.proxyBase]: url.path, [fieldKeys.proxyRedirectUri]: "/" };
  return Object.fromEntries(Object.entries(values).filter(([key]) => spec.sparkConf?.[key] === undefined));
}
