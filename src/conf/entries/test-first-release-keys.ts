/** Expands `prefix.{a,b}.rest` to a key for each name in braces. */
function expand(pattern: string): readonly string[] {
  const [, before = "", names = "", after = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  return names === "" ? [pattern] : names.split(",").flatMap((name) => expand(`${before}${name.trim()}${after}`));
}

/**
 * Every setting of the first releases of Spark on Kubernetes: those of the user guide of branch-2.2-kubernetes, those that only its code
 * has, and those of the releases before. A key that ends with a dot is a family.
 */
export const allFirstReleaseKeys: readonly string[] = [
  "spark.kubernetes.namespace",
  "spark.kubernetes.{driver,executor,initcontainer}.docker.image",
  "spark.kubernetes.docker.image.pullPolicy",
  "spark.kubernetes.shuffle.{namespace,labels,apiServer.url,ip,dir}",
  "spark.kubernetes.allocation.batch.{size,delay}",
  "spark.kubernetes.authenticate.{submission,driver}.{caCertFile,clientKeyFile,clientCertFile,oauthToken}",
  "spark.kubernetes.authenticate.driver.serviceAccountName",
  "spark.kubernetes.authenticate.resourceStagingServer.{caCertFile,clientKeyFile,clientCertFile,oauthToken,oauthTokenFile,useServiceAccountCredentials}",
  "spark.kubernetes.authenticate.shuffleService.useServiceAccountCredentials",
  "spark.kubernetes.{driver,executor}.{memoryOverhead,labels,annotations,label.,annotation.,secrets.,limit.cores}",
  "spark.kubernetes.driver.pod.name",
  "spark.kubernetes.executor.podNamePrefix",
  "spark.kubernetes.submission.waitAppCompletion",
  "spark.kubernetes.report.interval",
  "spark.kubernetes.resourceStagingServer.{port,uri,internal.uri,initialAccessExpirationTimeout,apiServer.url,apiServer.caCertFile}",
  "spark.ssl.kubernetes.resourceStagingServer.{enabled,keyPem,serverCertPem,keyStorePasswordFile,keyPasswordFile,trustStore,trustStorePassword,trustStoreType,clientCertPem}",
  "spark.ssl.kubernetes.resourceStagingServer.internal.{enabled,trustStore,trustStorePassword,trustStoreType,clientCertPem}",
  "spark.kubernetes.mountdependencies.{jarsDownloadDir,filesDownloadDir,mountTimeout}",
  "spark.kubernetes.mountdependencies.smallfiles.executor.{secretName,secretMountPath}",
  "spark.kubernetes.mountDependencies.{jarsDownloadDir,filesDownloadDir,timeout,maxSimultaneousDownloads,mountTimeout}",
  "spark.kubernetes.node.selector.",
  "spark.kubernetes.kerberos.{enabled,keytab,principal,renewer.principal,tokensecret.name,tokensecret.itemkey,dt.label}",
  "spark.kubernetes.kerberos.{delegation-token-secret-name,key-tab-secret-name,key-tab-secret-key}",
  "spark.executorEnv.",
  "spark.kubernetes.driverEnv.",
  "spark.shuffle.service.host",
  "spark.kubernetes.driver.hdfslocality.clusterNodeNameDNSLookup.enabled",
  "spark.kubernetes.initcontainer.{downloadJarsResourceIdentifier,downloadFilesResourceIdentifier,remoteJars,remoteFiles}",
  "spark.kubernetes.initcontainer.{downloadJarsSecretLocation,downloadFilesSecretLocation}",
  "spark.kubernetes.initcontainer.executor.{configmapname,configmapkey,stagingServerSecret.name,stagingServerSecret.mountDir}",
  "spark.kubernetes.hadoop.{conf.dir,executor.hadoopConfigMapName}",
  "spark.kubernetes.{driverSubmissionTimeout,driverSubmitTimeout}",
  "spark.kubernetes.driver.{submissionServerMemory,serviceManagerType,service.exposeUiPort,service.name}",
  "spark.ssl.kubernetes.{driversubmitserver,submit}.{enabled,keyStore,trustStore,keyPem,serverCertPem,clientCertPem}",
  "spark.kubernetes.submit.{namespace,caCertFile,clientKeyFile,clientCertFile,oauthToken,serviceAccountName,waitAppCompletion}",
].flatMap(expand);
