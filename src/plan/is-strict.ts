/** Whether the environment asks for exactly Spark's behaviour, its exit codes included: `FIRESTEEL_STRICT=1`. */
export function isStrict(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["FIRESTEEL_STRICT"] === "1";
}
