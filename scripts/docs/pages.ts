import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";

/** Every generated page, by its path. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  "docs/configuration.md": configurationPage,
  "docs/errors.md": errorsPage,
};
