/** Who can act on a failure. */
export type ErrorKind =
  | "usage"
  | "setting"
  | "dependency"
  | "template"
  | "cluster"
  | "unreachable"
  | "timeout"
  | "environment"
  | "internal";

/** One row of the catalogue of failures. A code, once released, keeps its meaning for ever. */
export interface ErrorCodeEntry<F> {
  readonly kind: ErrorKind;
  /** The sentence. `spark` wording is that of Apache Spark, word for word. */
  readonly text: (fields: F) => string;
  readonly wording?: "spark";
  /** The exception class Apache Spark names before the text; default `org.apache.spark.SparkException`. */
  readonly javaClass?: string;
  readonly hint?: (fields: F) => string;
  /** Answer of the REST gateway; default follows from `kind`. */
  readonly httpStatus?: number;
}

const illegalArgument = "java.lang.IllegalArgumentException";

function define<F>(entry: ErrorCodeEntry<F>): ErrorCodeEntry<F> {
  return entry;
}

/** Every way in which a submission, the embedded cluster or the search for a Spark can be stopped. */
export const errorCodes = {
  SUBMIT_ERR_ARG_UNKNOWN: define<{ option: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ option }) => `Unrecognized option: ${option}`,
  }),
  SUBMIT_ERR_ARG_VALUE_MISSING: define<{ option: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ option }) => `Missing argument for option '${option}'.`,
  }),
  SUBMIT_ERR_SETTING_CIRCULAR: define<{ text: string; reference: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ text, reference }) => `requirement failed: Circular reference in ${text}: ${reference}`,
  }),
  SUBMIT_ERR_STEP_CLASH: define<{ what: string; first: string; second: string }>({
    kind: "internal",
    text: ({ what, first, second }) => `The steps ${first} and ${second} both set ${what}.`,
  }),
};

export type ErrorCode = keyof typeof errorCodes;

type FieldsByCode = { readonly [C in ErrorCode]: Parameters<(typeof errorCodes)[C]["text"]>[0] };

/** The fields that the words of a code are made of. */
export type ErrorFields<C extends ErrorCode> = FieldsByCode[C];

/** One row of the catalogue. */
export function errorCodeEntry<C extends ErrorCode>(code: C): ErrorCodeEntry<ErrorFields<C>> {
  const rows: { readonly [K in ErrorCode]: ErrorCodeEntry<FieldsByCode[K]> } = errorCodes;
  return rows[code];
}
