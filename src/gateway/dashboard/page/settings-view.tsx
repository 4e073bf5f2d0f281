import { useState } from "preact/hooks";
import { applicationPath, type Explanation } from "./api.ts";
import { Empty, ErrorNote } from "./parts.tsx";
import { useResource } from "./use-resource.ts";

const maxFields = 200;

/** Settings in effect and fields of the created objects, with their origins. */
export function SettingsView({ id }: { readonly id: string }) {
  const { value, error } = useResource<Explanation>(applicationPath(id, "/explain"), id);
  const [text, setText] = useState("");
  if (value === undefined)
    return error === undefined ? <Empty>Reading the settings.</Empty> : <ErrorNote text={error} />;
  const has = (...texts: readonly string[]) => texts.some((each) => each.toLowerCase().includes(text.toLowerCase()));
  const settings = value.settings.filter((setting) => has(setting.key, setting.value, setting.origin));
  const fields = value.fields.filter((field) => has(field.path, JSON.stringify(field.value), field.causes.join("\n")));
  return (
    <>
      <input
        type="search"
        class="full"
        aria-label="Search settings and fields"
        placeholder="Search settings and fields"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <h2>Settings</h2>
      {settings.length === 0 ? <Empty>No setting matches.</Empty> : <Settings settings={settings} />}
      <details>
        <summary>Objects: {fields.length} fields and the settings on which they depend</summary>
        <Fields fields={fields.slice(0, maxFields)} />
        {fields.length > maxFields && <p class="empty">{`${fields.length - maxFields} more: search for them.`}</p>}
      </details>
    </>
  );
}

function Settings({ settings }: Pick<Explanation, "settings">) {
  return (
    <table class="settings">
      <caption class="hidden">Settings in effect</caption>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col">Origin</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ key, value, origin }) => (
          <tr key={key}>
            <td class="code">{key}</td>
            <td class="code">{value}</td>
            <td>{origin}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fields({ fields }: Pick<Explanation, "fields">) {
  return (
    <table class="settings">
      <caption class="hidden">Fields of the created objects</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Value</th>
          <th scope="col">Depends on</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ object, path, value, causes, steps }) => (
          <tr key={`${object} ${path}`}>
            <td class="code">
              {path}
              <span class="detail">{object}</span>
            </td>
            <td class="code">{typeof value === "string" ? value : JSON.stringify(value)}</td>
            <td>{causes.length === 0 ? steps.join(", ") : causes.slice(0, 6).join(", ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
