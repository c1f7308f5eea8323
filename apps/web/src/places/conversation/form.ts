// What a person enters into an agent's form, and what of it is sent.
import type { Field } from "../../protocol";

/** As the controls hold it: a text, a check mark, or the choices that are on. */
export type Entered = string | boolean | string[];

/** What the controls begin with. */
export function firstValues(fields: readonly Field[]): Record<string, Entered> {
  const first = ({ input }: Field): Entered => {
    switch (input.type) {
      case "boolean":
        return input.default ?? false;
      case "choices":
        return [...input.default];
      case "text":
      case "choice":
        return input.default ?? "";
      case "number":
      case "integer":
        return input.default === null ? "" : String(input.default);
    }
  };
  return Object.fromEntries(fields.map((field) => [field.name, first(field)]));
}

/** What is sent: what stays empty and is not required is left out. */
export function contentOf(
  fields: readonly Field[],
  values: Readonly<Record<string, Entered>>,
): Record<string, string | number | boolean | string[]> {
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const { name, required, input } of fields) {
    const value = values[name];
    // A check mark that nobody touched says nothing.
    if (input.type === "boolean" && input.default === null && !required && value === false) continue;
    if (value === undefined || (!required && (value === "" || (Array.isArray(value) && value.length === 0)))) continue;
    const isNumber = input.type === "number" || input.type === "integer";
    content[name] = isNumber && typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  }
  return content;
}
