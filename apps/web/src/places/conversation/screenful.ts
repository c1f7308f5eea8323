// How many messages at the end of a conversation fill a window, before any of them is drawn.
import type { Message, Part } from "../../protocol";

/** The least that one line and one folded step take, and what is around a person's words and an agent's, in pixels. */
const LINE_PX = 20;
const STEP_PX = 24;
const AROUND_PX = { user: 36, agent: 16, system: 0 };
/** No line of the column holds more letters than this, and of lines that are joined to paragraphs so many remain. */
const LETTERS_MOST = 110;
const LINES_KEPT = 0.7;

/** Returns where the messages begin that surely fill `height` pixels when they are drawn to the end. */
export function screenfulFrom(messages: readonly { value: Message }[], height: number): number {
  let from = messages.length;
  for (let left = height; from > 0 && left > 0; ) {
    from -= 1;
    left -= leastHeight(messages[from]!.value);
  }
  return from;
}

function leastHeight({ role, parts }: Message): number {
  return parts.reduce((sum, part) => sum + leastHeightOf(part), AROUND_PX[role]);
}

function leastHeightOf(part: Part): number {
  switch (part.kind) {
    case "text":
      return Math.max(part.text.length / LETTERS_MOST, part.text.split("\n").length * LINES_KEPT) * LINE_PX;
    case "plan":
      return STEP_PX * (1 + part.entries.length);
    case "thought":
    case "tool":
    case "image":
    case "resource":
      return STEP_PX;
  }
}
