/** Credentials for S3. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Ms since 1970. Absent for credentials that do not expire. */
  readonly expiresAtMs?: number | undefined;
}

/** Fetches credentials from one source. `undefined`: this source has none. @throws Error when the source has credentials that are unusable */
export type CredentialSource = () => Promise<S3Credentials | undefined>;

/** Marker for unsigned requests, for public buckets. */
export const anonymous = "anonymous";
