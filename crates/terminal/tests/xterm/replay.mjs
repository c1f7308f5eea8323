// Feeds snapshots to xterm.js without a window and says what it shows.
//
// Standard input: a JSON array of {columns, rows, snapshot (base64)}. Standard output: for each, its rows with their
// wrap flags, the cursor, the buffer in view and the modes.
import { readFileSync } from "node:fs";
import xterm from "@xterm/headless";

const cases = JSON.parse(readFileSync(0, "utf8"));
const shown = [];
for (const { columns, rows, snapshot } of cases) {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100000, allowProposedApi: true });
  await new Promise((done) => terminal.write(Buffer.from(snapshot, "base64"), done));
  const read = (buffer) =>
    Array.from({ length: buffer.length }, (_, index) => {
      const line = buffer.getLine(index);
      return { text: line.translateToString(false), wrapped: line.isWrapped };
    });
  const { active, normal, alternate } = terminal.buffer;
  const { bracketedPasteMode, applicationCursorKeysMode, mouseTrackingMode, sendFocusMode } = terminal.modes;
  shown.push({
    alternate: active === alternate,
    rows: read(active),
    base: active.baseY,
    normal: read(normal),
    cursor: { row: active.cursorY, column: active.cursorX },
    modes: { bracketedPasteMode, applicationCursorKeysMode, mouseTrackingMode, sendFocusMode },
  });
  terminal.dispose();
}
process.stdout.write(JSON.stringify(shown));
