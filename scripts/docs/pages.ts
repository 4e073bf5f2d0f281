import { decommissionScript, sparkEntrypoint } from "../../src/local-cluster/images/spark-entrypoint.ts";
import { ownJsonSchema } from "../../src/spark-application/own/json-schema.ts";
import { chartValuesFile, chartValuesPage } from "./chart-values.ts";
import { commandLinePage } from "./command-line-page.ts";
import { commandsPage } from "./commands-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { diagnosisPage } from "./diagnosis-page.ts";
import { doctorPage } from "./doctor-page.ts";
import { errorsPage } from "./errors-page.ts";
import { firstReleasePage } from "./first-release-page.ts";
import { schemaPages } from "./json-schemas/outputs.ts";
import { libraryReferencePage } from "./library-reference-page.ts";
import { packageWithManualPages } from "./package-manual-pages.ts";
import { permissionsPage } from "./permissions-page.ts";
import { servedKindsPage } from "./served-kinds-page.ts";
import { shuffleServicePage } from "./shuffle-service-page.ts";
import { sparkSettingsTypes } from "./spark-settings.ts";
import { stagingServerPage } from "./staging-server-page.ts";

/** Builders of all generated pages, by path. */
export const generatedPages: Readonly<Record<string, () => string | Promise<string>>> = {
  "deploy/helm/firesteel/values.yaml": chartValuesFile,
  "docs/application.schema.json": () => `${JSON.stringify(ownJsonSchema(), undefined, 2)}\n`,
  "docs/command-line.md": commandLinePage,
  "docs/commands.md": commandsPage,
  "docs/configuration.md": configurationPage,
  "docs/doctor.md": doctorPage,
  "package.json": packageWithManualPages,
  "docs/errors.md": errorsPage,
  "docs/helm-chart-values.md": chartValuesPage,
  "docs/first-release-settings.md": firstReleasePage,
  "docs/library-reference.md": libraryReferencePage,
  "docs/local-cluster-api.md": servedKindsPage,
  "docs/permissions.md": permissionsPage,
  ...schemaPages,
  "docs/shuffle-service-options.md": shuffleServicePage,
  "docs/staging-server-options.md": stagingServerPage,
  "docs/why-did-my-driver-not-start.md": diagnosisPage,
  // The embedded cluster writes them into its Spark containers.
  "images/spark/decom.sh": () => decommissionScript,
  "images/spark/entrypoint.sh": () => sparkEntrypoint,
  "src/conf/entries/spark-settings.ts": sparkSettingsTypes,
};
