// What a French page must not hold: the plain sentences of the English catalogue that French does not share, and words of English.
import { createServer } from "vite";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

export async function englishOnly() {
  const vite = await createServer({ root: ROOT, server: { middlewareMode: true, hmr: false, ws: false }, appType: "custom", logLevel: "error", optimizeDeps: { noDiscovery: true } });
  try {
    const { en } = await vite.ssrLoadModule("/src/words/en.ts");
    const { fr } = await vite.ssrLoadModule("/src/words/fr.ts");
    const french = new Set(Object.values(fr).filter((entry) => typeof entry === "string"));
    const shared = new Set(["English", "Français", "Agents", "Actions"]);
    const { CAUSES, ERROR_KINDS, PROBLEMS } = await vite.ssrLoadModule("/tests/causes.ts");
    const { englishWordOf } = await vite.ssrLoadModule("/tests/english.ts");
    const sentences = Object.values(en).filter((entry) => typeof entry === "string" && !french.has(entry) && !shared.has(entry));
    return { sentences, wordOf: englishWordOf, causes: CAUSES, kinds: ERROR_KINDS, problems: Object.keys(PROBLEMS) };
  } finally {
    await vite.close();
  }
}
