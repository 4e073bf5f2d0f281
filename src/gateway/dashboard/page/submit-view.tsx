import { useRef, useState } from "preact/hooks";
import { ApiError, type ApplicationJson, change, type QueuesJson } from "./api.ts";
import { Title } from "./parts.tsx";
import { applicationRoute } from "./route.ts";
import {
  emptyForm,
  type FormField,
  type FormProblem,
  type FormTexts,
  problemsOf,
  readForm,
} from "./submission-form.ts";
import { useResource } from "./use-resource.ts";

interface FieldText {
  readonly name: FormField;
  readonly label: string;
  readonly hint: string;
  readonly isRequired?: boolean;
  readonly rows?: number;
}

const fields: readonly FieldText[] = [
  { name: "name", label: "Name", hint: "Lower-case letters, digits and dashes.", isRequired: true },
  {
    name: "app",
    label: "Main file",
    hint: "A jar, Python or R file: a URL, or local:///path in the image.",
    isRequired: true,
  },
  { name: "class", label: "Main class", hint: "For jars." },
  { name: "args", label: "Arguments", hint: "One per line.", rows: 3 },
  { name: "image", label: "Image", hint: "Empty: that of the gateway." },
  { name: "namespace", label: "Namespace", hint: "Empty: that of the gateway." },
  { name: "conf", label: "Settings", hint: "One per line: spark.executor.instances=4", rows: 6 },
];

/** A form to submit an application. */
export function SubmitView() {
  const [texts, setTexts] = useState<FormTexts>(emptyForm);
  const [queue, setQueue] = useState("default");
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  /** The same for repetitions of a form whose response was lost, so that it is submitted once. */
  const idempotencyKey = useRef(newKey());
  const show = (found: readonly FormProblem[]) => {
    setProblems(found);
    const [first] = found.flatMap(({ field }) => field ?? []);
    if (first !== undefined) form.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const { body, problems: found } = readForm(texts);
    if (found.length > 0) return show(found);
    setBusy(true);
    try {
      const headers = { "idempotency-key": idempotencyKey.current };
      const { key } = await change<ApplicationJson>(`applications?queue=${encodeURIComponent(queue)}`, body, headers);
      location.hash = applicationRoute(key);
    } catch (error) {
      show(error instanceof ApiError ? problemsOfError(error) : [{ field: undefined, message: String(error) }]);
    } finally {
      setBusy(false);
    }
  };
  const onInput = (name: FormField, text: string) => {
    idempotencyKey.current = newKey();
    setTexts((before) => ({ ...before, [name]: text }));
  };
  return (
    <>
      <Title>Submit an application</Title>
      <form ref={form} class="submit" noValidate onSubmit={(event) => void submit(event)}>
        <div role="alert">
          {problems
            .filter(({ field }) => field === undefined)
            .map(({ message }) => (
              <p key={message} class="note error">
                {message}
              </p>
            ))}
        </div>
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={texts[field.name]}
            problems={problems.flatMap((problem) => (problem.field === field.name ? problem.message : []))}
            onInput={onInput}
          />
        ))}
        <QueueField
          value={queue}
          onChange={(name) => {
            idempotencyKey.current = newKey();
            setQueue(name);
          }}
        />
        <button type="submit" class="primary" disabled={isBusy}>
          Submit
        </button>
      </form>
    </>
  );
}

function problemsOfError({ message, issues }: ApiError): readonly FormProblem[] {
  return issues.length > 0 ? problemsOf(issues) : [{ field: undefined, message }];
}

/** Returns a random key; the browser's own UUIDs exist on secure connections only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface QueueFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** A choice among the queues; hidden if there is only one. */
function QueueField({ value, onChange }: QueueFieldProps) {
  const queues = useResource<QueuesJson>("queues", "").value?.queues ?? [];
  if (queues.length < 2) return null;
  return (
    <div class="field">
      <label for="field-queue">Queue</label>
      <select id="field-queue" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {queues.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface FieldProps {
  readonly field: FieldText;
  readonly value: string;
  readonly problems: readonly string[];
  readonly onInput: (name: FormField, text: string) => void;
}

function Field({ field: { name, label, hint, isRequired = false, rows }, value, problems, onInput }: FieldProps) {
  const hasProblem = problems.length > 0;
  const common = {
    ...{ id: `field-${name}`, name, value, autoComplete: "off", spellcheck: false },
    "aria-required": isRequired,
    "aria-invalid": hasProblem,
    "aria-describedby": `hint-${name}${hasProblem ? ` problem-${name}` : ""}`,
  };
  return (
    <div class="field">
      <label for={`field-${name}`}>
        {label}
        {isRequired && <span class="none"> (required)</span>}
      </label>
      {rows === undefined ? (
        <input {...common} type="text" onInput={({ currentTarget }) => onInput(name, currentTarget.value)} />
      ) : (
        <textarea {...common} rows={rows} onInput={({ currentTarget }) => onInput(name, currentTarget.value)} />
      )}
      <span class="hint" id={`hint-${name}`}>
        {hint}
      </span>
      {hasProblem && (
        <span class="bad" id={`problem-${name}`} role="alert">
          {problems.join(" ")}
        </span>
      )}
    </div>
  );
}
