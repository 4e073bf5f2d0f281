import { entry, fallbackEntry, optionalEntry, type PrefixEntry, roleEntry } from "../entry.ts";
import { boolean, bytes, checked, double, integer, list, oneOf, rawInteger, text } from "../kinds.ts";

export const driverMemory = entry(bytes("MiB"), {
  key: "spark.driver.memory",
  doc: "Heap of the driver. The default unit is MiB.",
  since: "1.1.1",
  default: "1g",
});

export const driverMemoryOverhead = optionalEntry(bytes("MiB"), {
  key: "spark.driver.memoryOverhead",
  doc: "Memory of the driver's container besides the heap, instead of the computed overhead. The default unit is MiB.",
  since: "2.3.0",
  alternatives: ["spark.yarn.driver.memoryOverhead"],
});

export const driverMemoryOverheadFactor = entry(
  checked(double, (factor) => factor > 0, "Ensure that memory overhead is a double greater than 0"),
  {
    key: "spark.driver.memoryOverheadFactor",
    doc: "Memory beyond the heap as a part of the heap.",
    since: "3.3.0",
    default: "0.1",
  },
);

export const memoryOverheadFactor = entry(
  checked(double, (factor) => factor >= 0, "Ensure that memory overhead is non-negative"),
  {
    key: "spark.kubernetes.memoryOverheadFactor",
    doc: "Memory besides the heap as a fraction of the heap, for roles without a factor of their own. The default for Python and R is 0.4.",
    since: "2.4.0",
    default: "0.1",
  },
);

export const driverMinMemoryOverhead = entry(bytes("MiB"), {
  key: "spark.driver.minMemoryOverhead",
  doc: "Minimum of the computed overhead. The default unit is MiB.",
  since: "4.0.0",
  default: "384m",
});

export const driverCores = entry(integer, {
  key: "spark.driver.cores",
  doc: "Cores that the driver requests, unless `spark.kubernetes.driver.request.cores` is specified.",
  since: "1.3.0",
  default: "1",
});

export const driverRequestCores = optionalEntry(text, {
  key: "spark.kubernetes.driver.request.cores",
  doc: "CPU that the driver's container asks for, a Kubernetes quantity.",
  since: "3.0.0",
});

export const driverLimitCores = optionalEntry(text, {
  key: "spark.kubernetes.driver.limit.cores",
  doc: "CPU limit of the driver's container, a Kubernetes quantity.",
  since: "2.3.0",
});

export const driverExtraClassPath = optionalEntry(text, {
  key: "spark.driver.extraClassPath",
  doc: "Put before the class path of the driver.",
  since: "1.0.0",
});

export const driverDefaultExtraClassPath = optionalEntry(text, {
  key: "spark.driver.defaultExtraClassPath",
  doc: "Put before the class path of the driver, after `spark.driver.extraClassPath`.",
  since: "4.0.0",
});

export const driverExtraJavaOptions = optionalEntry(text, {
  key: "spark.driver.extraJavaOptions",
  doc: "Options for the driver's JVM.",
  since: "1.0.0",
});

export const driverDefaultJavaOptions = optionalEntry(text, {
  key: "spark.driver.defaultJavaOptions",
  doc: "Options for the driver's JVM, put before `spark.driver.extraJavaOptions`.",
  since: "3.0.0",
});

export const driverExtraLibraryPath = optionalEntry(text, {
  key: "spark.driver.extraLibraryPath",
  doc: "Library path of the driver's JVM.",
  since: "1.0.0",
});

export const driverSupervise = entry(boolean, {
  key: "spark.driver.supervise",
  doc: "Restart a failed driver; standalone clusters only.",
  since: "1.3.0",
  default: "false",
});

export const driverHost = optionalEntry(text, {
  key: "spark.driver.host",
  doc: "Host of the driver; written by the submission, rejected if a user sets it.",
  since: "0.7.0",
});

export const driverBindAddress = optionalEntry(text, {
  key: "spark.driver.bindAddress",
  doc: "Address that the driver listens on; rejected on Kubernetes.",
  since: "2.1.0",
});

export const driverPort = entry(rawInteger, {
  key: "spark.driver.port",
  doc: "Port of the driver.",
  since: "0.7.0",
  default: "7078",
  raw: true,
});

export const driverBlockManagerPort = entry(rawInteger, {
  key: "spark.driver.blockManager.port",
  doc: "Port of the driver's block manager.",
  since: "2.1.0",
  default: "7079",
  raw: true,
});

export const blockManagerPort = entry(rawInteger, {
  key: "spark.blockManager.port",
  doc: "Port of block managers. It is also the driver's container port unless the driver has a port of its own.",
  since: "1.1.0",
  default: "7079",
  raw: true,
});

export const uiPort = entry(integer, {
  key: "spark.ui.port",
  doc: "Port of the application's pages.",
  since: "0.7.0",
  default: "4040",
});

export const connectGrpcBindingPort = entry(rawInteger, {
  key: "spark.connect.grpc.binding.port",
  doc: "Port of the Spark Connect server.",
  since: "3.4.0",
  default: "15002",
  raw: true,
});

export const decommissionEnabled = entry(boolean, {
  key: "spark.decommission.enabled",
  doc: "Executors migrate their blocks before they stop.",
  since: "3.1.0",
  default: "false",
});

export const driverPodName = optionalEntry(text, {
  key: "spark.kubernetes.driver.pod.name",
  doc: "Name of the driver's pod.",
  since: "2.3.0",
});

export const resourceType = optionalEntry(oneOf(["java", "python", "r"]), {
  key: "spark.kubernetes.resource.type",
  doc: "Language of the application: java, python or r; written by the submission.",
  since: "2.4.1",
});

export const submitInDriver = entry(boolean, {
  key: "spark.kubernetes.submitInDriver",
  doc: "Set for the spark-submit in the driver's pod; written by the submission.",
  since: "2.4.0",
  default: "false",
});

export const driverMaster = entry(text, {
  key: "spark.kubernetes.driver.master",
  doc: "Address of the API server for the driver.",
  since: "3.0.0",
  default: "https://kubernetes.default.svc",
});

export const driverSchedulerName = optionalEntry(text, {
  key: "spark.kubernetes.driver.scheduler.name",
  doc: "Scheduler of the driver's pod.",
  since: "3.3.0",
  alternatives: ["spark.kubernetes.scheduler.name"],
});

export const schedulerName = optionalEntry(text, {
  key: "spark.kubernetes.scheduler.name",
  doc: "Scheduler of all pods.",
  since: "3.3.0",
});

export const allowPrivilegeEscalation = entry(boolean, {
  key: "spark.kubernetes.securityContext.allowPrivilegeEscalation",
  doc: "Whether processes of the containers may gain more privileges than their parents.",
  since: "4.3.0",
  default: "false",
});

export const driverAllowPrivilegeEscalation = fallbackEntry(allowPrivilegeEscalation, {
  key: "spark.kubernetes.driver.securityContext.allowPrivilegeEscalation",
  doc: "Whether processes of the driver's container may gain more privileges than their parents.",
  since: "4.3.0",
});

export const ipFamilyPolicy = entry(oneOf(["SingleStack", "PreferDualStack", "RequireDualStack"]), {
  key: "spark.kubernetes.driver.service.ipFamilyPolicy",
  doc: "IP family policy of the driver's service.",
  since: "3.4.0",
  default: "SingleStack",
});

/** Split the value at the comma for the service. */
export const ipFamilies = entry(oneOf(["IPv4", "IPv6", "IPv4,IPv6", "IPv6,IPv4"]), {
  key: "spark.kubernetes.driver.service.ipFamilies",
  doc: "IP families of the driver's service.",
  since: "3.4.0",
  default: "IPv4",
});

export const publishNotReadyAddresses = entry(boolean, {
  key: "spark.kubernetes.driver.service.publishNotReadyAddresses",
  doc: "The name of the driver's service is found before the driver is ready.",
  since: "4.3.0",
  default: "false",
});

export const driverLabels: PrefixEntry = {
  prefix: "spark.kubernetes.driver.label.",
  doc: "Labels of the driver's pod.",
  since: "2.3.0",
};

export const driverAnnotations: PrefixEntry = {
  prefix: "spark.kubernetes.driver.annotation.",
  doc: "Annotations of the driver's pod.",
  since: "2.3.0",
};

export const driverServiceLabels: PrefixEntry = {
  prefix: "spark.kubernetes.driver.service.label.",
  doc: "Labels of the driver's service.",
  since: "3.4.0",
};

export const driverServiceAnnotations: PrefixEntry = {
  prefix: "spark.kubernetes.driver.service.annotation.",
  doc: "Annotations of the driver's service.",
  since: "3.0.0",
};

export const nodeSelectors: PrefixEntry = {
  prefix: "spark.kubernetes.node.selector.",
  doc: "Labels that the nodes of all pods must have.",
  since: "2.3.0",
};

export const driverNodeSelectors: PrefixEntry = {
  prefix: "spark.kubernetes.driver.node.selector.",
  doc: "Labels that the driver's node must have; they win over those for all pods.",
  since: "3.3.0",
};

export const driverEnv: PrefixEntry = {
  prefix: "spark.kubernetes.driverEnv.",
  doc: "Environment variables of the driver.",
  since: "2.3.0",
};

/** Members: `<name>.amount`, `<name>.vendor`, `<name>.discoveryScript`. */
export const driverResources: PrefixEntry = {
  prefix: "spark.driver.resource.",
  doc: "Custom resources of the driver, such as GPUs.",
  since: "3.0.0",
};

export const podTemplateFile = roleEntry((role) =>
  optionalEntry(text, {
    key: `spark.kubernetes.${role}.podTemplateFile`,
    doc: `A pod in YAML or JSON that the ${role}'s pod starts from.`,
    since: "3.0.0",
  }),
);

export const podTemplateContainerName = roleEntry((role) =>
  optionalEntry(text, {
    key: `spark.kubernetes.${role}.podTemplateContainerName`,
    doc: `Container in the template on which the ${role}'s container is based. The default is the first.`,
    since: "3.0.0",
  }),
);

export const featureSteps = roleEntry((role) =>
  entry(list, {
    key: `spark.kubernetes.${role}.pod.featureSteps`,
    doc: `Class names of further steps that build the ${role}'s pod.`,
    since: "3.2.0",
    default: "",
  }),
);

export const excludedFeatureSteps = roleEntry((role) =>
  entry(list, {
    key: `spark.kubernetes.${role}.pod.excludedFeatureSteps`,
    doc: `Class names of steps that do not take part in building the ${role}'s pod.`,
    since: "4.1.0",
    default: "",
  }),
);

export const volcanoPodGroupTemplateFile = optionalEntry(text, {
  key: "spark.kubernetes.scheduler.volcano.podGroupTemplateFile",
  doc: "A file with Volcano's PodGroup.",
  since: "3.3.0",
  raw: true,
});

export const volcanoPodGroupTemplateJson = optionalEntry(text, {
  key: "spark.kubernetes.scheduler.volcano.podGroupTemplateJson",
  doc: "Volcano's PodGroup as JSON, if no file is specified.",
  since: "4.2.0",
  raw: true,
});
