// A terminal on the page: xterm.js with the page's colours, in the pane's own size. What a program sends can move neither the
// window nor the clipboard, and opens nothing by itself. Loaded when the first pane is shown.
import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { type ISearchDecorationOptions, SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITheme, Terminal } from "@xterm/xterm";
import type { ExitStatus, PaneSize } from "../protocol";
import type { Screen } from "./viewer";

const LETTER_PX = 12;
const LETTER_LEAST_PX = 6;
/** Text is kept at this contrast, whatever colours a program chooses. */
const CONTRAST = 4.5;
const SCROLLBACK_LINES = 10_000;

export type TerminalNews = {
  /** What a person typed, and what the terminal answers. */
  typed(data: string | Uint8Array): void;
  /** A key that is the page's own, even here. */
  isOurs(event: KeyboardEvent): boolean;
  /** A link was pressed; it leads only where a person agrees to. */
  link(address: string): void;
  /** Whether the daemon is heard. */
  contact(isThere: boolean): void;
  ended(status: ExitStatus): void;
  size(size: PaneSize): void;
  /** What is looked for is there so often; `at` counts from one and is 0 when there are too many to count. */
  found(at: number, of: number): void;
};

export type TerminalWords = {
  label: string;
  /** Said by a screen reader when more comes than can be read. */
  tooMuch: string;
};

export class PaneTerminal implements Screen {
  private readonly xterm: Terminal;
  private readonly fit = new FitAddon();
  private readonly finder = new SearchAddon();
  private readonly frame: HTMLElement;
  private readonly scheme = matchMedia("(prefers-color-scheme: dark)");
  private readonly watch = new MutationObserver(() => this.paint());
  private shown: PaneSize = { columns: 80, rows: 24 };

  constructor(frame: HTMLElement, words: TerminalWords, private readonly news: TerminalNews) {
    this.frame = frame;
    Terminal.strings.tooMuchOutput = words.tooMuch;
    this.xterm = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      fontFamily: getComputedStyle(frame).fontFamily,
      fontSize: LETTER_PX,
      minimumContrastRatio: CONTRAST,
      scrollback: SCROLLBACK_LINES,
      theme: themeOf(frame),
      linkHandler: { activate: (_, address) => this.follow(address), allowNonHttpProtocols: false },
    });
    this.xterm.loadAddon(this.fit);
    this.xterm.loadAddon(new Unicode11Addon());
    this.xterm.unicode.activeVersion = "11";
    this.xterm.loadAddon(new WebLinksAddon((_, address) => this.follow(address)));
    this.xterm.loadAddon(this.finder);
    this.finder.onDidChangeResults(({ resultIndex, resultCount }) => news.found(resultIndex + 1, resultCount));
    this.xterm.open(frame);
    this.xterm.attachCustomKeyEventHandler((event) => !news.isOurs(event));
    this.xterm.onData((data) => news.typed(data));
    this.xterm.onBinary((data) => news.typed(Uint8Array.from(data, (letter) => letter.charCodeAt(0))));
    this.name(words.label);
    this.scheme.addEventListener("change", this.paint);
    this.watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  }

  dispose(): void {
    this.scheme.removeEventListener("change", this.paint);
    this.watch.disconnect();
    this.xterm.dispose();
  }

  name(label: string): void {
    this.xterm.textarea?.setAttribute("aria-label", label);
  }

  focus(): void {
    this.xterm.focus();
  }

  /** Whether the lines are given to a screen reader; that costs some speed. */
  set isRead(isRead: boolean) {
    this.xterm.options.screenReaderMode = isRead;
  }

  /** Finds a text above or below what is chosen; a new one from the end upwards. */
  find(text: string, where: "new" | "above" | "below"): void {
    if (text === "") {
      this.forget();
      return;
    }
    const options = { decorations: marksOf(this.frame) };
    if (where === "new") this.xterm.clearSelection();
    if (where === "below") this.finder.findNext(text, options);
    else this.finder.findPrevious(text, options);
  }

  /** Takes away the marks of what was found. */
  forget(): void {
    this.finder.clearDecorations();
    this.xterm.clearSelection();
    this.news.found(0, 0);
  }

  get selection(): string {
    return this.xterm.getSelection();
  }

  /** Returns the text of the screen, for tests. */
  get text(): string {
    const buffer = this.xterm.buffer.active;
    return Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? "").join("\n");
  }

  /** Returns what there is room for in letters of their usual size; null while nothing is laid out. */
  room(): PaneSize | null {
    this.xterm.options.fontSize = LETTER_PX;
    const room = this.fit.proposeDimensions();
    this.adapt(room);
    return room && room.cols > 1 && room.rows > 0 ? { columns: room.cols, rows: room.rows } : null;
  }

  // What the daemon draws. Everything goes through one queue, so that a size or a fresh start never overtakes output.

  size(size: PaneSize): void {
    this.xterm.write("", () => {
      this.shown = size;
      this.xterm.resize(size.columns, size.rows);
      this.xterm.options.fontSize = LETTER_PX;
      this.adapt(this.fit.proposeDimensions());
      this.news.size(size);
    });
  }

  draw(bytes: Uint8Array, done: () => void): void {
    this.xterm.write("\u001bc");
    this.xterm.write(bytes, done);
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.xterm.write(bytes, done);
  }

  ended(status: ExitStatus): void {
    this.news.ended(status);
  }

  contact(isThere: boolean): void {
    this.news.contact(isThere);
  }

  /** A pane that is larger than its frame gets smaller letters. */
  private adapt(room: { cols: number; rows: number } | undefined): void {
    if (!room) return;
    const share = Math.min(1, room.cols / this.shown.columns, room.rows / this.shown.rows);
    const letters = Math.max(LETTER_LEAST_PX, Math.floor(LETTER_PX * share * 4) / 4);
    this.xterm.options.fontSize = share === 1 ? LETTER_PX : letters;
  }

  private follow(address: string): void {
    if (/^(?:https?|mailto):/i.test(address)) this.news.link(address);
  }

  private readonly paint = (): void => {
    this.xterm.options.theme = themeOf(this.frame);
  };
}

/** Gives what the tokens are now to whoever makes something of them. */
function withColours<T>(frame: HTMLElement, make: (colour: (token: string) => string) => T): T {
  const probe = frame.appendChild(document.createElement("i"));
  const made = make((token) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return made;
}

/** Returns the colours of what was found, as the addon takes them. */
function marksOf(frame: HTMLElement): ISearchDecorationOptions {
  return withColours(frame, (colour) => {
    const hex = (token: string) => `#${(colour(token).match(/\d+(?:\.\d+)?/g) ?? []).slice(0, 3).map((part) => Math.round(Number(part)).toString(16).padStart(2, "0")).join("")}`;
    return { matchBackground: hex("warn-soft"), matchBorder: hex("warn-line"), matchOverviewRuler: hex("signal"), activeMatchBackground: hex("warn-line"), activeMatchBorder: hex("signal"), activeMatchColorOverviewRuler: hex("signal") };
  });
}

/** Returns the colours of the tokens as they are now. */
function themeOf(frame: HTMLElement): ITheme {
  return withColours(frame, (colour) => ({
    background: colour("terminal"), foreground: colour("text"), cursor: colour("text"), cursorAccent: colour("terminal"),
    selectionBackground: colour("accent-line"), selectionInactiveBackground: colour("accent-soft"),
    black: colour("ansi-black"), red: colour("err"), green: colour("ok"), yellow: colour("warn"), blue: colour("accent"), magenta: colour("plum"), cyan: colour("info"), white: colour("ansi-white"),
    brightBlack: colour("text3"), brightRed: colour("err"), brightGreen: colour("ok"), brightYellow: colour("warn"), brightBlue: colour("accent"), brightMagenta: colour("plum"),
    brightCyan: colour("info"), brightWhite: colour("text"),
    scrollbarSliderBackground: colour("press"), scrollbarSliderHoverBackground: colour("press"), scrollbarSliderActiveBackground: colour("press"),
  }));
}
