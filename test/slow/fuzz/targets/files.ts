import { runDiagnoseCommand } from "../../../../src/cli/commands/diagnose.ts";
import { drySubmission } from "../../../../src/cli/dry/dry-submission.ts";
import { behaviorsOf } from "../../../../src/conf/behaviors.ts";
import { testHost } from "../../../../src/host/test-host.ts";
import { parseLocalizeConfig } from "../../../../src/init-container/parse-config.ts";
import { readPodTemplate } from "../../../../src/plan/pod-template.ts";
import { readMainClass } from "../../../../src/resolve/jar-manifest.ts";
import { leadingManifest } from "../../../../src/resolve/leading-manifest.ts";
import { parseTemplate, reasonOf } from "../../../../src/resolve/parse-template.ts";
import type { FuzzTarget } from "../target.ts";

const behaviors = behaviorsOf({});

/** Files of a submission: templates, jars and records. */
export const fileTargets: readonly FuzzTarget[] = [
  {
    name: "pod-template",
    async run(input) {
      let template: unknown;
      try {
        template = await parseTemplate(input.toString(), behaviors);
      } catch (error) {
        // The caller reports each error of the parser.
        return reasonOf(error);
      }
      const options = { path: "t.yaml", containerName: "main", octalNumbers: true, templateKind: "pod" } as const;
      return readPodTemplate(template, options);
    },
  },
  {
    name: "rendered-template",
    run(input) {
      const files = { "/t.yaml": input };
      const template = ["driver", "executor"].flatMap((role) => [
        "--conf",
        `spark.kubernetes.${role}.podTemplateFile=/t.yaml`,
      ]);
      const cluster = ["--master", "k8s://https://h:1", "--deploy-mode", "cluster"];
      const image = ["--conf", "spark.kubernetes.container.image=i", "local:///a.py"];
      return drySubmission(testHost({ files }), [...cluster, ...template, ...image], "seed");
    },
  },
  {
    name: "jar",
    async run(input) {
      leadingManifest(input);
      await readMainClass("file:/a.jar", { host: testHost({ files: { "/a.jar": input } }), behaviors });
    },
  },
  {
    name: "fault-record",
    run: (input) => runDiagnoseCommand(testHost({ files: { "/r.json": input } }), ["--record=/r.json", "--timeline"]),
  },
  { name: "localize-config", run: (input) => parseLocalizeConfig(input.toString()) },
];
