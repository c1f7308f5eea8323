// What is sent of what a person entered into an agent's form.
import { expect, test } from "vitest";
import { contentOf, firstValues } from "../src/places/conversation/form";
import type { Field, FieldInput } from "../src/protocol";

const field = (name: string, required: boolean, input: FieldInput): Field => ({ name, title: name, description: null, required, input });

const text: FieldInput = { type: "text", format: null, min_length: null, max_length: null, pattern: null, default: null };
const fields: Field[] = [
  field("name", true, text),
  field("note", false, text),
  field("files", false, { type: "integer", minimum: null, maximum: null, default: 12 }),
  field("fast", false, { type: "boolean", default: null }),
  field("tags", false, { type: "choices", options: [], min_items: null, max_items: null, default: ["a"] }),
];

test("controls begin with what the agent proposes", () => {
  expect(firstValues(fields)).toEqual({ name: "", note: "", files: "12", fast: false, tags: ["a"] });
});

test("numbers are sent as numbers, and nothing that stays empty", () => {
  const values = { ...firstValues(fields), name: "x", tags: [] };
  expect(contentOf(fields, values)).toEqual({ name: "x", files: 12 });
});

test("what is required is sent although it is empty, for the daemon to judge", () => {
  expect(contentOf(fields, firstValues(fields))).toMatchObject({ name: "" });
});
