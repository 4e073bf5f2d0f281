/** Returns the media type of responses with metadata only. A server without this feature must not send the data of a Secret. */
export function metadataOnly(kind: "PartialObjectMetadata" | "PartialObjectMetadataList"): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}
