// Which drawing of the sheet stands for an icon's name. The names are the daemon's; a test holds both lists together.

export const TILES: Readonly<Record<string, string>> = {
  demo: "i-flask", claude: "i-spark", codex: "i-braces", gemini: "i-loop", opencode: "i-execute", qwen: "i-agents", kimi: "i-agents",
  vibe: "i-agents", "fast-agent": "i-agents", hammer: "i-hammer", eye: "i-eye", book: "i-book", database: "i-db", db: "i-db",
  globe: "i-fetch", gauge: "i-gauge", moon: "i-moon", spark: "i-spark", flask: "i-flask", loop: "i-loop", braces: "i-braces",
  terminal: "i-execute", pencil: "i-edit", search: "i-search", plan: "i-plan",
};
