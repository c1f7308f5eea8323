// What may stand where in the configuration file, read from its JSON Schema: for completion.

export type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

/** By the key, with its table in front: `agents.name`. */
type Meanings = Readonly<Record<string, string>>;

export type Suggestion = { label: string; detail: string; insert: string };

/** Returns the table that a line stands in: `[]` at the top, `["agents"]` under `[[agents]]`. */
export function tableAt(text: string, line: number): string[] {
  const lines = text.split("\n");
  for (let at = Math.min(line, lines.length) - 1; at >= 0; at--) {
    const header = /^\s*\[\[?\s*([\w.-]+)\s*\]?\]/.exec(lines[at] ?? "");
    if (header?.[1]) return header[1].split(".");
  }
  return [];
}

/** Returns the keys that a table knows and does not have yet. */
export function suggestKeys(root: Schema, table: readonly string[], present: ReadonlySet<string>, meanings: Meanings = {}): Suggestion[] {
  const schema = find(root, table);
  const entries = Object.entries(schema ? propertiesOf(root, schema) : {});
  return entries
    .filter(([name]) => !present.has(name))
    .map(([name, property]) => {
      const resolved = resolve(root, property);
      const detail = meanings[[...table, name].join(".")] ?? firstSentence(property.description ?? resolved.description ?? "");
      return { label: name, detail, insert: isTable(root, resolved) ? name : `${name} = ` };
    });
}

/** Returns the values that a key can have, when they are few and known. */
export function suggestValues(root: Schema, table: readonly string[], key: string): Suggestion[] {
  const schema = find(root, table);
  const property = schema && propertiesOf(root, schema)[key];
  if (!property) return [];
  return valuesOf(root, property).map(({ value, detail }) => {
    const label = JSON.stringify(value);
    return { label, detail, insert: label };
  });
}

/** Returns the names of tables that the file can have, as they are written. */
export function suggestTables(root: Schema, meanings: Meanings = {}): Suggestion[] {
  return Object.entries(propertiesOf(root, root)).flatMap(([name, property]) => {
    const resolved = resolve(root, property);
    const detail = meanings[name] ?? firstSentence(property.description ?? resolved.description ?? "");
    if (resolved.items && isTable(root, resolve(root, resolved.items))) return [{ label: `[[${name}]]`, detail, insert: `[[${name}]]` }];
    return resolved.properties ? [{ label: `[${name}]`, detail, insert: `[${name}]` }] : [];
  });
}

function find(root: Schema, table: readonly string[]): Schema | undefined {
  let at: Schema | undefined = root;
  for (const name of table) {
    const next: Schema | undefined = at && propertiesOf(root, at)[name];
    if (!next) return undefined;
    const resolved = resolve(root, next);
    at = resolved.items ? resolve(root, resolved.items) : resolved;
  }
  return at;
}

function propertiesOf(root: Schema, schema: Schema): Record<string, Schema> {
  const resolved = resolve(root, schema);
  const parts = [...(resolved.allOf ?? []), ...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])];
  return Object.assign({}, ...parts.map((part) => propertiesOf(root, part)), resolved.properties) as Record<string, Schema>;
}

function valuesOf(root: Schema, schema: Schema): { value: unknown; detail: string }[] {
  const resolved = resolve(root, schema);
  const detail = firstSentence(resolved.description ?? "");
  if (resolved.const !== undefined) return [{ value: resolved.const, detail }];
  if (resolved.enum) return resolved.enum.filter((value) => value !== null).map((value) => ({ value, detail: "" }));
  if (resolved.type === "boolean" || (Array.isArray(resolved.type) && resolved.type.includes("boolean"))) {
    return [true, false].map((value) => ({ value, detail: "" }));
  }
  return [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])].flatMap((part) => valuesOf(root, part));
}

function resolve(root: Schema, schema: Schema): Schema {
  let at = schema;
  for (let steps = 0; at.$ref && steps < 16; steps++) {
    const name = at.$ref.split("/").pop() ?? "";
    at = root.$defs?.[name] ?? root.definitions?.[name] ?? {};
  }
  return at;
}

function isTable(root: Schema, schema: Schema): boolean {
  return schema.properties !== undefined || (schema.items !== undefined && resolve(root, schema.items).properties !== undefined);
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s|\n/)[0] ?? "";
}
