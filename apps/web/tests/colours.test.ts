import fc from "fast-check";
import { expect, test } from "vitest";
import { plainOf, runsOf } from "../src/conversation/colours";

const E = "\u001b[";

function check(text: string, expected: string[]) {
  expect(runsOf(text).map(({ text, colour, isBold }) => `${text}|${colour ?? ""}${isBold ? " bold" : ""}`)).toEqual(expected);
}

test("colours and weight begin and end where they are told to", () => {
  check("plain", ["plain|"]);
  check("", []);
  check(`test a ... ${E}32mok${E}0m\n`, ["test a ... |", "ok|green", "\n|"]);
  check(`${E}1;31merror${E}0m: no`, ["error|red bold", ": no|"]);
  check(`${E}1mb${E}33my${E}22mn${E}39mp`, ["b| bold", "y|yellow bold", "n|yellow", "p|"]);
  check(`${E}91mbright${E}mend`, ["bright|red", "end|"]);
});

test("a larger palette is not taken for codes", () => {
  check(`${E}38;5;31mx${E}38;2;1;31;32my${E}48;5;1mz`, ["x|", "y|", "z|"]);
  check(`${E}38:2::1:2:3mx`, ["x|"]);
});

test("what moves a cursor, names a window or links is left out", () => {
  check(`a${E}2Kb${E}?25lc\u001b]0;title\u0007d\u001b]8;;https://evil.example/\u001b\\e\u001b(Bf`, ["a|", "b|", "c|", "d|", "e|", "f|"]);
  expect(plainOf(`a${E}2Kb\u001b]0;title\u0007`)).toBe("ab");
  check("ends in \u001b", ["ends in \u001b|"]);
});

test("runs are the text without its sequences, whatever the text", () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom(E, "\u001b", "m", "[", "0", ";", "\u001b]", "\u0007", "é😀"));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      expect(runsOf(text).map((run) => run.text).join("")).toBe(plainOf(text));
    }),
  );
});
