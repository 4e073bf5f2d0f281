import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const site = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dirname(site));
/** Copies of the project's Markdown files, at the same relative paths. */
const pages = join(site, "pages");

const tutorial = [
  ["Try it", "/"],
  ["Run a job on pods in CI", "/docs/spark-in-ci"],
];
const guides = [
  ["Replace Apache's spark-submit", "/docs/moving-from-apache"],
  ["Send local files to the driver", "/docs/getting-your-files-there"],
  ["Why did my driver not start", "/docs/why-did-my-driver-not-start"],
  ["Render, explain, diff", "/docs/render-explain-diff"],
  ["Airflow", "/docs/airflow"],
  ["Submit from CI", "/docs/submit-from-ci"],
  ["Kubernetes Jobs", "/docs/kubernetes-jobs"],
  ["Authentication", "/docs/authentication"],
  ["The embedded cluster", "/docs/local-cluster"],
  ["Local drivers", "/docs/local"],
  ["Client mode with Kubernetes", "/docs/kubernetes-client-mode"],
  ["YARN", "/docs/yarn"],
  ["Standalone", "/docs/standalone"],
  ["Mesos", "/docs/mesos"],
  ["Maven packages", "/docs/packages"],
  ["Feature steps", "/docs/feature-steps"],
  ["Staging server", "/docs/staging-server"],
  ["Dynamic allocation", "/docs/dynamic-allocation"],
  ["Shuffle service", "/docs/shuffle-service"],
  ["Helm chart", "/docs/helm-chart"],
  ["Production checklist", "/docs/production-checklist"],
  ["Upgrade Spark", "/docs/upgrade-spark"],
  ["Monitoring", "/docs/monitoring"],
  ["Init container", "/docs/init-container"],
];
const reference = [
  ["Command line", "/docs/command-line"],
  ["Commands", "/docs/commands"],
  ["Configuration", "/docs/configuration"],
  ["Errors", "/docs/errors"],
  ["Staging server options", "/docs/staging-server-options"],
  ["Shuffle service options", "/docs/shuffle-service-options"],
  ["Values of the Helm chart", "/docs/helm-chart-values"],
  ["Embedded cluster API", "/docs/local-cluster-api"],
  ["Embedded cluster sandbox", "/docs/local-cluster-sandbox"],
  ["Compatibility", "/docs/compatibility"],
  ["Changelog", "/CHANGELOG"],
];
const explanation = [
  ["Architecture", "/docs/architecture"],
  ["Security model", "/docs/security-model"],
  ["Performance", "/docs/performance"],
  ["Decisions", "/docs/decisions/"],
  ["Contributing", "/CONTRIBUTING"],
];

const section = (text, pages) => ({ text, items: pages.map(([title, link]) => ({ text: title, link })) });

export default defineConfig({
  title: "Firesteel",
  description: "Submits Apache Spark applications without a JVM",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: ".cache",
  rewrites: (path) => path.replace(/(^|\/)README\.md$/, "$1index.md"),
  cleanUrls: true,
  themeConfig: {
    nav: [
      { text: "Guide", link: "/docs/" },
      { text: "Commands", link: "/docs/commands" },
      { text: "Errors", link: "/docs/errors" },
    ],
    sidebar: [
      section("Tutorial", tutorial),
      section("How-to guides", guides),
      section("Reference", reference),
      section("Explanation", explanation),
    ],
    outline: [2, 3],
    search: { provider: "local" },
  },
  markdown: { config: adaptMarkdown },
});

/** Makes text and links of the repository work on the site. */
function adaptMarkdown(markdown) {
  markdown.core.ruler.push("adapt-markdown", (state) => {
    const page = state.env.relativePath.replace(/index\.md$/, "README.md");
    for (const { children } of state.tokens) {
      keepBraces(children ?? [], page);
      adaptLinks(children ?? [], page);
    }
  });
}

/** Vue would replace `{{ name }}` by a variable of its own, and leave the place empty. */
function keepBraces(tokens, page) {
  for (const token of tokens) {
    if (token.type === "code_inline") token.attrSet("v-pre", "");
    if (token.type === "text" && token.content.includes("{{"))
      throw new Error(`${page}: write {{ … }} as code: ${token.content}`);
  }
}

/** `README.md` is an index, and files that are not pages have no address. */
function adaptLinks(tokens, page) {
  let isRemoved = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const [path, fragment] = (token.attrGet("href") ?? "").split("#");
      if (/^[a-z]+:/i.test(path) || path === "") continue;
      const target = posix.join(posix.dirname(page), path);
      // A link to a missing file stays, so that the build reports it.
      isRemoved = !isPage(target) && existsSync(join(root, target));
      const adapted = path.replace(/(^|\/)README\.md$/, "$1index.md");
      if (isRemoved) removeTag(token);
      else token.attrSet("href", fragment === undefined ? adapted : `${adapted}#${fragment}`);
    } else if (token.type === "link_close" && isRemoved) {
      removeTag(token);
      isRemoved = false;
    }
  }
}

function isPage(path) {
  return existsSync(join(pages, path));
}

function removeTag(token) {
  token.type = "html_inline";
  token.tag = "";
  token.content = "";
}
