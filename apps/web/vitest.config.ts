// How the tests of stores and rendering run: in a document of happy-dom.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  resolve: { conditions: ["browser"] },
  test: { environment: "happy-dom", include: ["tests/**/*.test.ts"] },
});
