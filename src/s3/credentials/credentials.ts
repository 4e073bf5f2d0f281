/** Who we are to S3. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Ms since 1970; absent: they stay good. */
  readonly expiresAtMs?: number | undefined;
}

/** Where credentials come from. `undefined`: from here none can be had. @throws Error that says why those that are there cannot be used */
export type CredentialSource = () => Promise<S3Credentials | undefined>;

/** Without any: for buckets that everybody may read or write. */
export const anonymous = "anonymous";
