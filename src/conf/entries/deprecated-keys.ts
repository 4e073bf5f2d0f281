import { type SparkLine, sparkLines } from "../spark-version.ts";

/** Deprecated keys: the version that deprecated the key, and its replacement. */
const replaced: Readonly<Record<string, readonly [since: string, key: string]>> = {
  "spark.files.userClassPathFirst": ["1.3", "spark.executor.userClassPathFirst"],
  "spark.history.fs.update.interval.seconds": ["1.4", "spark.history.fs.update.interval"],
  "spark.history.fs.updateInterval": ["1.3", "spark.history.fs.update.interval"],
  "spark.history.updateInterval": ["1.3", "spark.history.fs.update.interval"],
  "spark.history.fs.cleaner.interval.seconds": ["1.4", "spark.history.fs.cleaner.interval"],
  "spark.history.fs.cleaner.maxAge.seconds": ["1.4", "spark.history.fs.cleaner.maxAge"],
  "spark.yarn.applicationMaster.waitTries": ["1.3", "spark.yarn.am.waitTime"],
  "spark.reducer.maxMbInFlight": ["1.4", "spark.reducer.maxSizeInFlight"],
  "spark.kryoserializer.buffer.max.mb": ["1.4", "spark.kryoserializer.buffer.max"],
  "spark.shuffle.file.buffer.kb": ["1.4", "spark.shuffle.file.buffer"],
  "spark.executor.logs.rolling.size.maxBytes": ["1.4", "spark.executor.logs.rolling.maxSize"],
  "spark.io.compression.snappy.block.size": ["1.4", "spark.io.compression.snappy.blockSize"],
  "spark.io.compression.lz4.block.size": ["1.4", "spark.io.compression.lz4.blockSize"],
  "spark.streaming.minRememberDuration": ["1.5", "spark.streaming.fileStream.minRememberDuration"],
  "spark.yarn.max.worker.failures": ["1.5", "spark.yarn.max.executor.failures"],
  "spark.unsafe.offHeap": ["1.6", "spark.memory.offHeap.enabled"],
  "spark.yarn.jar": ["2.0", "spark.yarn.jars"],
  "spark.yarn.access.namenodes": ["2.2", "spark.kerberos.access.hadoopFileSystems"],
  "spark.reducer.maxReqSizeShuffleToMem": ["2.3", "spark.network.maxRemoteBlockSizeFetchToMem"],
  "spark.maxRemoteBlockSizeFetchToMem": ["3.0", "spark.network.maxRemoteBlockSizeFetchToMem"],
  "spark.scheduler.listenerbus.eventqueue.size": ["2.3", "spark.scheduler.listenerbus.eventqueue.capacity"],
  "spark.yarn.driver.memoryOverhead": ["2.3", "spark.driver.memoryOverhead"],
  "spark.yarn.executor.memoryOverhead": ["2.3", "spark.executor.memoryOverhead"],
  "spark.yarn.keytab": ["3.0", "spark.kerberos.keytab"],
  "spark.yarn.principal": ["3.0", "spark.kerberos.principal"],
  "spark.yarn.kerberos.relogin.period": ["3.0", "spark.kerberos.relogin.period"],
  "spark.yarn.access.hadoopFileSystems": ["3.0", "spark.kerberos.access.hadoopFileSystems"],
  "spark.sql.kafkaConsumerCache.capacity": ["3.0", "spark.kafka.consumer.cache.capacity"],
  "spark.yarn.max.executor.failures": ["3.5", "spark.executor.maxNumFailures"],
  "spark.yarn.executor.failuresValidityInterval": ["3.5", "spark.executor.failuresValidityInterval"],
};

/** Keys without a replacement: the version that deprecated the key, Spark's advice, and the first line that gives it. */
const retired: Readonly<Record<string, readonly [since: string, advice: string, from?: SparkLine]>> = {
  "spark.cache.class": [
    "0.8",
    "The spark.cache.class property is no longer being used! Specify storage levels using the RDD.persist() method instead.",
  ],
  "spark.yarn.user.classpath.first": ["1.3", "Please use spark.{driver,executor}.userClassPathFirst instead."],
  "spark.kryoserializer.buffer.mb": [
    "1.4",
    "Please use spark.kryoserializer.buffer instead. The default value for spark.kryoserializer.buffer.mb was previously specified as '0.064'. Fractional values are no longer accepted. To specify the equivalent now, one may use '64k'.",
  ],
  "spark.shuffle.spill": ["1.6", "Not used anymore.", "4.0"],
  "spark.rpc": ["2.0", "Not used anymore."],
  "spark.yarn.am.port": ["2.0.0", "Not used anymore"],
  "spark.executor.port": ["2.0.0", "Not used anymore"],
  "spark.rpc.numRetries": ["2.2.0", "Not used anymore"],
  "spark.rpc.retry.wait": ["2.2.0", "Not used anymore"],
  "spark.shuffle.service.index.cache.entries": [
    "2.3.0",
    "Not used anymore. Please use spark.shuffle.service.index.cache.size",
  ],
  "spark.yarn.credentials.file.retention.count": ["2.4.0", "Not used anymore."],
  "spark.yarn.credentials.file.retention.days": ["2.4.0", "Not used anymore."],
  "spark.yarn.services": ["3.0.0", "Feature no longer available."],
  "spark.executor.plugins": ["3.0.0", "Feature replaced with new plugin API. See Monitoring documentation."],
  "spark.network.remoteReadNioBufferConversion": [
    "3.5.2",
    "Please open a JIRA ticket to report it if you need to use this configuration.",
  ],
  "spark.shuffle.unsafe.file.output.buffer": ["4.0.0", "Please use spark.shuffle.localDisk.file.output.buffer", "4.0"],
  "spark.shuffle.server.chunkFetchHandlerThreadsPercent": [
    "4.2.0",
    "Using separate chunkFetchHandlers could be problematic according to the underlying netty layer",
    "4.2",
  ],
  "spark.shuffle.server.finalizeShuffleMergeThreadsPercent": [
    "4.2.0",
    "Using separate finalizeWorkers could be problematic according to the underlying netty layer",
    "4.2",
  ],
};

/** Keys of the blacklist, which Spark 3.1 renamed. */
const renamedExclusion: Readonly<Record<string, string>> = {
  "spark.blacklist.enabled": "spark.excludeOnFailure.enabled",
  "spark.blacklist.task.maxTaskAttemptsPerExecutor": "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor",
  "spark.blacklist.task.maxTaskAttemptsPerNode": "spark.excludeOnFailure.task.maxTaskAttemptsPerNode",
  "spark.blacklist.application.maxFailedTasksPerExecutor":
    "spark.excludeOnFailure.application.maxFailedTasksPerExecutor",
  "spark.blacklist.stage.maxFailedTasksPerExecutor": "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor",
  "spark.blacklist.application.maxFailedExecutorsPerNode":
    "spark.excludeOnFailure.application.maxFailedExecutorsPerNode",
  "spark.blacklist.stage.maxFailedExecutorsPerNode": "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode",
  "spark.blacklist.timeout": "spark.excludeOnFailure.timeout",
  "spark.blacklist.application.fetchFailure.enabled": "spark.excludeOnFailure.application.fetchFailure.enabled",
  "spark.scheduler.blacklist.unschedulableTaskSetTimeout":
    "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
  "spark.blacklist.killBlacklistedExecutors": "spark.excludeOnFailure.killExcludedExecutors",
  "spark.yarn.blacklist.executor.launch.blacklisting.enabled": "spark.yarn.executor.launch.excludeOnFailure.enabled",
};

const oldestExclusionKey = "spark.scheduler.executorTaskBlacklistTime";

/**
 * Returns Spark's warning about a deprecated key; `undefined` if there is none.
 *
 * Source: Spark SparkConf.logDeprecationWarning; recorded with Spark 3.5.9 and 4.3.0, extracted from 4.0.5, 4.1.4 and 4.2.1.
 */
export function deprecationOf(key: string, line: SparkLine): string | undefined {
  const reason = retirementOf(key, line);
  if (reason !== undefined) return sentence(key, reason);
  const [since, newKey] = replaced[key] ?? [];
  return since === undefined
    ? undefined
    : sentence(key, { since, advice: `Please use the new key '${newKey}' instead.` });
}

/** Lists all keys that a line of Spark warns about. */
export function deprecatedKeys(): readonly string[] {
  return [...[replaced, retired, renamedExclusion].flatMap(Object.keys), oldestExclusionKey];
}

interface Retirement {
  readonly since: string;
  readonly advice: string;
}

function sentence(key: string, { since, advice }: Retirement): string {
  return `The configuration key '${key}' has been deprecated as of Spark ${since} and may be removed in the future. ${advice}`;
}

function retirementOf(key: string, line: SparkLine): Retirement | undefined {
  const unused = isFrom("4.1", line) ? "Not used anymore. " : "";
  if (key === oldestExclusionKey) {
    const advice = `${unused}Please use the new excludedOnFailure options, spark.excludeOnFailure.*`;
    return { since: "2.1.0", advice };
  }
  const exclusion = renamedExclusion[key];
  if (exclusion !== undefined) return { since: "3.1.0", advice: `${unused}Please use ${exclusion}` };
  const [since, advice, from = "3.5"] = retired[key] ?? [];
  if (since === undefined || advice === undefined || !isFrom(from, line)) return undefined;
  return { since, advice };
}

function isFrom(first: SparkLine, line: SparkLine): boolean {
  return sparkLines.indexOf(line) >= sparkLines.indexOf(first);
}
