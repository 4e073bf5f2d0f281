import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from "kubernetes-types/apiextensions/v1.d.ts";
import type { Draft } from "../object.ts";
import type { Schema } from "../structural/schema.ts";
import type { WebhookAddress } from "../webhook.ts";

/** Collection of the custom resource definitions. */
export const definitionsCollection = "customresourcedefinitions.apiextensions.k8s.io";

/** Finalizer of a definition that is being deleted, until its custom resources are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** A version of a definition. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** A custom resource definition, as decoding returns it. */
export interface Definition extends Draft {
  spec: {
    group: string;
    names: CustomResourceDefinitionNames;
    scope: string;
    versions: DefinitionVersion[];
    conversion?: {
      strategy: string;
      webhook?: { clientConfig?: WebhookAddress; conversionReviewVersions?: readonly string[] };
    };
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions: CustomResourceDefinitionCondition[] | null;
    acceptedNames: CustomResourceDefinitionNames;
    storedVersions: string[] | null;
    observedGeneration?: number;
  };
}

/** Whether a stored object is a definition. */
export function isDefinition(object: Draft): object is Definition {
  return object.kind === "CustomResourceDefinition" && typeof object["spec"] === "object";
}

/** Whether a condition of a definition is true. */
export function hasCondition({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}
