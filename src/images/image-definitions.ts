/** An image that this package can build. */
export interface ImageDefinition {
  readonly name: string;
  /** Noun phrase for lists. */
  readonly summary: string;
  /** Directory of its Dockerfile below `images`. */
  readonly directory: string;
  /** Source of the files that the Dockerfile copies: a Spark distribution, or this package. Also the name of the build context. */
  readonly content: "spark" | "firesteel";
  /** Arguments of the Dockerfile. */
  readonly args: Readonly<Record<string, string>>;
  /** Optional packages that it copies if they are installed, as directories in `node_modules`, by the names of their build contexts. */
  readonly optionalPackages?: Readonly<Record<string, string>>;
}

const spark = { directory: "spark", content: "spark" } as const;
const program = { content: "firesteel", args: {} } as const;

/** All images, in the order of lists. The names of the Spark images are those of Apache's `docker-image-tool.sh`. */
export const imageDefinitions: readonly ImageDefinition[] = [
  { ...spark, name: "spark", summary: "Spark for applications in Java and Scala", args: { LANGUAGE: "java" } },
  { ...spark, name: "spark-py", summary: "Spark with Python", args: { LANGUAGE: "python" } },
  { ...spark, name: "spark-r", summary: "Spark with R", args: { LANGUAGE: "r" } },
  {
    ...program,
    name: "spark-init-container",
    summary: "init container that fetches an application's files",
    directory: "spark-init-container",
  },
  {
    ...program,
    name: "firesteel-server",
    summary: "servers: the staging server and the shuffle service",
    directory: "firesteel-server",
    optionalPackages: { koffi: "koffi", "koffi-binaries": "@koromix" },
  },
  {
    ...program,
    name: "firesteel-client",
    summary: "spark-submit and firesteel, for CI, Airflow and Kubernetes Jobs",
    directory: "firesteel-client",
  },
];
