// The editor of the configuration file: CodeMirror with TOML, problems at their places, completion from the schema.
import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "../../protocol";
import { type Schema, suggestKeys, suggestTables, suggestValues, tableAt } from "./schema";

export interface EditorEvents {
  changed(text: string): void;
  save(): void;
}

export interface EditorWords {
  /** The editor's name for a screen reader. */
  label: string;
  /** CodeMirror's own phrases, in the page's language. */
  phrases: Record<string, string>;
  /** What keys and tables mean, where the schema says it in another language. */
  meanings: Readonly<Record<string, string>>;
}

export class Editor {
  private readonly view: EditorView;
  private readonly words = new Compartment();
  private schema: Schema | null = null;
  private meanings: EditorWords["meanings"];

  constructor(parent: HTMLElement, text: string, words: EditorWords, events: EditorEvents) {
    this.meanings = words.meanings;
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lintGutter(),
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(),
          search({ top: true }),
          highlightSelectionMatches(),
          StreamLanguage.define(toml),
          syntaxHighlighting(COLOURS),
          autocompletion({ override: [(context) => this.complete(context)], icons: false }),
          EditorView.lineWrapping,
          sentences,
          LOOK,
          this.words.of(spoken(words)),
          keymap.of([
            { key: "Mod-s", preventDefault: true, run: () => (events.save(), true) },
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) events.changed(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  speak(words: EditorWords): void {
    this.meanings = words.meanings;
    this.view.dispatch({ effects: this.words.reconfigure(spoken(words)) });
  }

  /** Puts another text in, as one step that can be undone. */
  setText(text: string): void {
    const now = this.view.state.doc.toString();
    if (now === text) return;
    this.view.dispatch({ changes: { from: 0, to: now.length, insert: text } });
  }

  setSchema(schema: Schema): void {
    this.schema = schema;
  }

  setProblems(problems: readonly Problem[]): void {
    const diagnostics = problems.map((problem) => this.diagnostic(problem));
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
    this.view.dispatch({ effects: setSentences.of(problems) });
  }

  /** Puts the caret where a problem is. */
  goTo(problem: Problem): void {
    const { from } = this.diagnostic(problem);
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  /** Puts the caret at the end. */
  goToEnd(): void {
    const end = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: end }, effects: EditorView.scrollIntoView(end) });
    this.view.focus();
  }

  /** Puts a word in the place of what a problem points at. */
  replaceAt(problem: Problem, word: string): void {
    const { from, to } = this.diagnostic(problem);
    const isQuoted = /["']/.test(this.view.state.doc.sliceString(from, from + 1));
    this.view.dispatch({ changes: { from, to, insert: isQuoted ? JSON.stringify(word) : word } });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }

  private diagnostic(problem: Problem): Diagnostic {
    const { doc } = this.view.state;
    const line = doc.line(Math.max(1, Math.min(problem.line, doc.lines)));
    const from = Math.min(line.from + Math.max(0, problem.column - 1), line.to);
    const word = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.-]+|\S)/.exec(doc.sliceString(from, line.to))?.[0] ?? "";
    return { from, to: from + word.length, severity: problem.warning ? "warning" : "error", message: problem.message };
  }

  private complete(context: CompletionContext): CompletionResult | null {
    if (!this.schema) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const text = context.state.doc.toString();
    const header = /^\s*(\[[\w[]*)$/.exec(before);
    if (header?.[1]) return offer(context.pos - header[1].length, suggestTables(this.schema, this.meanings));
    const table = tableAt(text, line.number);
    const value = /^\s*([\w-]+)\s*=\s*("?[\w-]*)$/.exec(before);
    if (value?.[1]) return offer(context.pos - (value[2] ?? "").length, suggestValues(this.schema, table, value[1]));
    const key = /^\s*([\w-]*)$/.exec(before);
    if (!key || (key[1] === "" && !context.explicit)) return null;
    return offer(context.pos - (key[1] ?? "").length, suggestKeys(this.schema, table, keysAround(text, line.number), this.meanings));
  }
}

function offer(from: number, suggestions: ReturnType<typeof suggestKeys>): CompletionResult | null {
  if (suggestions.length === 0) return null;
  return { from, options: suggestions.map(({ label, detail, insert }) => ({ label, detail, apply: insert })) };
}

/** Returns the keys of the table that a line stands in, without that of the line itself. */
function keysAround(text: string, line: number): Set<string> {
  const lines = text.split("\n");
  const keys = new Set<string>();
  const isHeader = (at: number) => /^\s*\[/.test(lines[at] ?? "");
  let start = line - 1;
  while (start > 0 && !isHeader(start)) start -= 1;
  let end = line;
  while (end < lines.length && !isHeader(end)) end += 1;
  for (let at = start; at < end; at++) {
    const key = at === line - 1 ? undefined : /^\s*([\w-]+)\s*=/.exec(lines[at] ?? "")?.[1];
    if (key) keys.add(key);
  }
  return keys;
}

function spoken({ label, phrases }: EditorWords) {
  return [EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }), EditorState.phrases.of(phrases)];
}

const setSentences = StateEffect.define<readonly Problem[]>();

/** A place in the line that a problem stands in, kept while the text around it changes. */
type Anchored = { at: number; problem: Problem };

/** The sentence of each problem, beside its line, wherever that line goes. */
const sentences = StateField.define<readonly Anchored[]>({
  create: () => [],
  update(held, transaction) {
    let next = held;
    if (transaction.docChanged) {
      // What is written at the end of a line belongs to what comes after it.
      next = held.map(({ at, problem }) => ({ at: transaction.changes.mapPos(at, -1), problem }));
    }
    for (const effect of transaction.effects) {
      if (!effect.is(setSentences)) continue;
      const { doc } = transaction.state;
      next = effect.value
        .filter((problem) => problem.line <= doc.lines)
        .map((problem) => ({ at: doc.line(Math.max(1, problem.line)).to, problem }));
    }
    return next;
  },
  provide: (field) =>
    EditorView.decorations.compute([field, "doc"], (state): DecorationSet => {
      const widgets = state.field(field).map(({ at, problem }) => Decoration.widget({ widget: new Sentence(problem), side: 1 }).range(state.doc.lineAt(at).to));
      return Decoration.set(widgets, true);
    }),
});

class Sentence extends WidgetType {
  constructor(private readonly problem: Problem) {
    super();
  }

  override eq(other: Sentence): boolean {
    return other.problem.message === this.problem.message && other.problem.warning === this.problem.warning;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = this.problem.warning ? "cm-sentence cm-sentence-warning" : "cm-sentence";
    element.textContent = this.problem.message;
    return element;
  }
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--text3)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.literal], color: "var(--info)" },
  { tag: [tags.keyword, tags.heading, tags.atom], color: "var(--accent)" },
  { tag: tags.propertyName, color: "var(--text)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", background: "var(--bg)", color: "var(--text)", font: "400 13px/20px var(--mono)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "400 13px/20px var(--mono)" },
  ".cm-content": { padding: "8px 0 120px", caretColor: "var(--accent)" },
  ".cm-gutters": { background: "var(--bg)", color: "var(--text3)", border: "0", paddingLeft: "4px" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 10px 0 4px", minWidth: "32px" },
  ".cm-gutter-lint": { width: "18px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { width: "13px", height: "13px", margin: "3.5px 2px", content: "none", background: "currentColor" },
  ".cm-lint-marker-error": { color: "var(--err)", content: "''", mask: "url('/mark-error.svg') center/contain no-repeat" },
  ".cm-lint-marker-warning": { color: "var(--signal)", content: "''", mask: "url('/mark-warning.svg') center/contain no-repeat" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--err) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--signal) 1px", textUnderlineOffset: "3px" },
  ".cm-sentence": { marginLeft: "16px", font: "400 12px/20px var(--sans)", color: "var(--err)" },
  // Where lines are short the sentence goes below, indented as the line is.
  "@media (max-width: 719px)": { ".cm-sentence": { display: "inline-block", width: "100%", marginLeft: "0" } },
  ".cm-sentence-warning": { color: "var(--warn)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "var(--hover)" },
  ".cm-activeLineGutter": { color: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-soft)" },
  ".cm-selectionMatch": { background: "var(--hover)" },
  ".cm-panels": { background: "var(--sunken)", color: "var(--text)", borderColor: "var(--hairline)" },
  ".cm-panels input, .cm-panels button": { font: "var(--t12)" },
  ".cm-textfield": { background: "var(--surface)", border: "1px solid var(--control)", borderRadius: "var(--r4)", color: "var(--text)" },
  ".cm-button": { background: "var(--surface)", border: "1px solid var(--control)", borderRadius: "var(--r4)", color: "var(--text)" },
  ".cm-searchMatch": { background: "var(--warn-soft)" },
  ".cm-searchMatch-selected": { background: "var(--warn-line)" },
  ".cm-tooltip": { background: "var(--raised)", border: "1px solid var(--line)", borderRadius: "var(--r6)", boxShadow: "var(--shadow-2)" },
  ".cm-tooltip-lint": { font: "var(--t12)" },
  ".cm-diagnostic": { padding: "4px 10px", border: "0", color: "var(--text)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "400 12px/20px var(--mono)", padding: "4px", maxHeight: "240px", minWidth: "260px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", borderRadius: "var(--r4)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent-soft)", color: "var(--accent)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { font: "var(--t12)", color: "var(--text2)", marginLeft: "16px" },
});
