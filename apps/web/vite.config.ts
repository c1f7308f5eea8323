// How the page is built: one bundle from src, no inline script, no source of another host.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  // The daemon serves the bundle from its root.
  base: "/",
  build: {
    target: "es2022",
    outDir: "dist",
    // A preload polyfill and inlined assets would be inline code under the daemon's content policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: "manifest.json",
  },
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
});
