// The plain sentences of the English catalogue that French does not share: what a French page must not hold.
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
    return Object.values(en).filter((entry) => typeof entry === "string" && !french.has(entry) && !shared.has(entry));
  } finally {
    await vite.close();
  }
}
