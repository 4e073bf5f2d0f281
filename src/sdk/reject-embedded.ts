import { submitError } from "../errors/submit-error.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";

/** Rejects the master of the programs' own cluster, which they start and find themselves. @throws SUBMIT_ERR_LIBRARY_OPTION */
export const rejectEmbedded: OpenEmbedded = async () => {
  throw submitError("SUBMIT_ERR_LIBRARY_OPTION", {
    ...{ option: "master", value: "k8s://embedded", reason: "is only for the command line" },
    instruction:
      "Run firesteel cluster start, set KUBECONFIG to the kubeconfig that it prints, and omit master. Or pass the URL and the credentials of startCluster of firesteel/local-cluster.",
  });
};
