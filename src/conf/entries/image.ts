import { entry, fallbackEntry, optionalEntry } from "../entry.ts";
import { list, oneOf, text } from "../kinds.ts";

export const containerImage = optionalEntry(text, {
  key: "spark.kubernetes.container.image",
  doc: "Image of driver and executors; `{{SPARK_VERSION}}` stands for the version.",
  since: "2.3.0",
});

export const driverContainerImage = fallbackEntry(containerImage, {
  key: "spark.kubernetes.driver.container.image",
  doc: "Image of the driver.",
  since: "2.3.0",
});

export const executorContainerImage = fallbackEntry(containerImage, {
  key: "spark.kubernetes.executor.container.image",
  doc: "Image of the executors.",
  since: "2.3.0",
});

export const containerImagePullPolicy = entry(oneOf(["Always", "Never", "IfNotPresent"]), {
  key: "spark.kubernetes.container.image.pullPolicy",
  doc: "When images are pulled.",
  since: "2.3.0",
  default: "IfNotPresent",
});

export const containerImagePullSecrets = entry(list, {
  key: "spark.kubernetes.container.image.pullSecrets",
  doc: "Secrets for pulling images.",
  since: "2.4.0",
  default: "",
});
