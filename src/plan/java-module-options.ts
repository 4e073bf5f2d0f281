import type { SparkLine } from "../conf/spark-version.ts";

/**
 * Lists the options that Spark passes to every JVM, before the options of the user.
 *
 * Source: Spark JavaModuleOptions of 3.5.9, 4.0.5, 4.1.4, 4.2.1 and 4.3.0.
 */
export function javaModuleOptions(line: SparkLine): readonly string[] {
  return [
    "-XX:+IgnoreUnrecognizedVMOptions",
    ...(line === "3.5" ? [] : ["--add-modules=jdk.incubator.vector"]),
    ...opened.map((name) => `--add-opens=${name}=ALL-UNNAMED`),
    ...further[line],
  ];
}

const opened = [
  "java.base/java.lang",
  "java.base/java.lang.invoke",
  "java.base/java.lang.reflect",
  "java.base/java.io",
  "java.base/java.net",
  "java.base/java.nio",
  "java.base/java.util",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/jdk.internal.ref",
  "java.base/sun.nio.ch",
  "java.base/sun.nio.cs",
  "java.base/sun.security.action",
  "java.base/sun.util.calendar",
  "java.security.jgss/sun.security.krb5",
];

const directHandles = "-Djdk.reflect.useDirectMethodHandle=false";
const reflection = "-Dio.netty.tryReflectionSetAccessible=true";
const pooled = "-Dio.netty.allocator.type=pooled";
const endpoints = "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE";
const unsafeAccess = "--sun-misc-unsafe-memory-access=allow";
const nativeAccess = "--enable-native-access=ALL-UNNAMED";

const further: Readonly<Record<SparkLine, readonly string[]>> = {
  "3.5": [directHandles],
  "4.0": [directHandles, reflection],
  "4.1": [directHandles, reflection, pooled, endpoints, nativeAccess],
  "4.2": [reflection, pooled, endpoints, unsafeAccess, nativeAccess],
  "4.3": [reflection, pooled, endpoints, unsafeAccess, nativeAccess],
};
