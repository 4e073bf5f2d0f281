/**
 * Protocol by which the submitting client sends entries to a waiting init container. It is the driver submission
 * protocol of the first Spark on Kubernetes, with the contents as a stream instead of within JSON.
 *
 * | request | body | response |
 * | --- | --- | --- |
 * | `GET /v1/submissions/ping` | | 200 `PushPong` |
 * | `HEAD /v1/submissions/create` | | 200 and headers `upload-offset`, `upload-length`, in bytes |
 * | `POST /v1/submissions/create` | contents of all entries, one after another, from the header `upload-offset` on | 200 `PushReceipt` when all contents are complete and match; 204 and the new offset before; 409 with the expected offset |
 *
 * HEAD and POST need the header `x-submission-secret`, and name their client in `x-submission-client`. The server accepts
 * one client: others get 409. The same client may resume after its connection was lost. A client with the header
 * `x-submission-shared: true` may resume when no other one is sending; otherwise its 409 has the offset. Errors: 400, 401,
 * 409, and 422 for content with another digest, which ends the init container. Their bodies are `PushRejection`.
 *
 * A POST of JSON without that header is the request of the clients of 2017, of at most 16 MiB: `secret` in base64, and contents in
 * `uploadedJarsBase64Contents`, `uploadedFilesBase64Contents` (`dataBase64` of a tar.gz) and `appResource`. Other fields are ignored.
 */
export const pushPaths = { ping: "/v1/submissions/ping", create: "/v1/submissions/create" } as const;

export const pushHeaders = {
  secret: "x-submission-secret",
  client: "x-submission-client",
  shared: "x-submission-shared",
  offset: "upload-offset",
  length: "upload-length",
} as const;

export interface PushPong {
  readonly action: "PingResponse";
  readonly message: "pong";
  readonly text: "pong";
  readonly serverSparkVersion: string;
}

export interface PushReceipt {
  readonly action: "CreateSubmissionResponse";
  readonly message: "success";
  readonly success: true;
  readonly serverSparkVersion: string;
}

export interface PushRejection {
  readonly action: "ErrorResponse";
  readonly message: string;
  readonly serverSparkVersion: string;
}

/** Spark's messages for two errors. */
export const pushMessages = {
  unauthorized: "Unauthorized to submit application.",
  taken: "Application has already been submitted.",
} as const;

/** Version if the init container does not know the Spark version. */
export const unknownSparkVersion = "unknown";
