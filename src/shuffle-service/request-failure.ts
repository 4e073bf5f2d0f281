/** Kind of an error, for the metrics. */
export type ErrorKind =
  | "authentication"
  | "authorization"
  | "protocol"
  | "not_registered"
  | "file"
  | "connection"
  | "overload"
  | "state"
  | "internal";

/** Failure of one request, which its client gets as the text of a Java exception. It must not contain secrets or files of others. */
export class RequestFailure extends Error {
  readonly javaClass: keyof typeof javaClasses;
  readonly kind: ErrorKind;

  constructor(javaClass: keyof typeof javaClasses, message: string, kind?: ErrorKind) {
    super(message);
    this.javaClass = javaClass;
    this.kind = kind ?? (javaClass === "security" ? "authorization" : "file");
  }

  /** Returns the first line of the stack trace that Spark's service would send. */
  print(): string {
    return `${javaClasses[this.javaClass]}: ${this.message}`;
  }
}

/** Exception classes that Spark's service uses. */
const javaClasses = {
  illegalArgument: "java.lang.IllegalArgumentException",
  illegalState: "java.lang.IllegalStateException",
  indexOutOfBounds: "java.lang.IndexOutOfBoundsException",
  runtime: "java.lang.RuntimeException",
  security: "java.lang.SecurityException",
  unsupported: "java.lang.UnsupportedOperationException",
} as const;

/** Builds the failure of a request that names an executor without a registration. Spark's text. */
export function notRegistered(appId: string, execId: string): RequestFailure {
  return new RequestFailure(
    "runtime",
    `Executor is not registered (appId=${appId}, execId=${execId})`,
    "not_registered",
  );
}
