// The scene that the stage shows: agents, one conversation in the middle of a turn, two channels, a configuration.
// Invented, in both languages, so that a French page has no English in it.

const MINUTE_MS = 60_000;

const TEXTS = {
  en: {
    builder: "Builder", reviewer: "Reviewer", migrations: "Migrations", handbook: "Handbook", translator: "Translator", bench: "Bench",
    nightly: "Nightly", gemini: "Gemini CLI", scratch: "Scratch",
    reviewerSays: "Reads every change", migrationsSays: "Moves schemas", handbookSays: "Writes the manual", translatorSays: "English to French",
    benchSays: "Measures", nightlySays: "Runs at two", geminiSays: "Google’s agent", scratchSays: "For trying things",
    title: "Lock gates open too early",
    ask: "The lock gates open a minute too early when the river is high. Find out why, fix it, and add a test that would have caught it.",
    thought: "The opening time comes from the level above and below the gate. If one of the two is rounded before they are compared, high water would look equal too soon.",
    plan: ["Reproduce with a high river", "Find where levels are rounded", "Compare before rounding", "Keep the alarm for broken sensors", "Add a regression test and a line in the changelog"],
    found: "`level_gap` rounds both levels to ten centimetres **before** it compares them. In a high river that hides up to nine centimetres, and the gate believes that both sides are even.",
    after: "The comparison is right now. What is left is the alarm: `gauge` 0.4 reports a broken sensor as level zero, so I would like to move that one dependency",
    run: "cargo test -p lockkeeper gates",
    queued: ["Then run the whole suite once, not only the gates", "Write the changelog line for people who keep the locks"],
    command: "cargo update -p gauge --precise 0.4.7",
    allow: "Allow once", always: "Always allow cargo update", reject: "Reject", rejectWhy: "Reject and say why",
    review: "Review the changes of this branch", release: "Draft release notes since the last tag", resume: "Take up an earlier session",
    modeAsk: "Ask before edits", modeAuto: "Edit freely", modeAskSays: "Asks before it edits or runs", modeAutoSays: "Never asks", model: "Model",
    reviewRoom: "Review", docsRoom: "Manual",
    question: "Is it safe to change the rounding of levels in a patch release?",
    answers: [
      "Yes. The stored values stay as they are; only the **comparison** changes.\n\n- no public type changes\n- one log line says more than before",
      "The manual says “rounded to ten centimetres” on two pages. I would change them in the same commit:\n\n1. *Gates*, section 3\n2. *Alarms*, the table",
      "I have measured it: the comparison costs nothing that can be seen.\n\n| case | before | after |\n|---|---|---|\n| one gate | 41 ns | 42 ns |\n| all gates | 1.9 µs | 1.9 µs |",
    ],
    second: "Then let us do it. @reviewer, look at the tests first.",
    secondAnswer: "The tests never have a high river. I would add one with 3.94 m above and 3.87 m below",
    reading: "src/gates.rs", writing: "docs/gates.md",
    portAsks: "Keep the old chart format readable for one more release, or drop it now?", fixturesSay: "31 levels added, all tests pass",
  },
  fr: {
    builder: "Artisan", reviewer: "Relecteur", migrations: "Migrations", handbook: "Manuel", translator: "Traducteur", bench: "Mesures",
    nightly: "Nocturne", gemini: "Gemini CLI", scratch: "Brouillon",
    reviewerSays: "Relit chaque changement", migrationsSays: "Déplace les schémas", handbookSays: "Écrit le manuel", translatorSays: "Anglais vers français",
    benchSays: "Mesure", nightlySays: "Tourne à deux heures", geminiSays: "L’agent de Google", scratchSays: "Pour essayer",
    title: "Les portes s’ouvrent trop tôt",
    ask: "Les portes de l’écluse s’ouvrent une minute trop tôt quand la rivière est haute. Trouve pourquoi, corrige, et ajoute un test qui l’aurait vu.",
    thought: "L’heure d’ouverture vient des niveaux en amont et en aval. Si l’un des deux est arrondi avant la comparaison, une crue paraîtrait égale trop tôt.",
    plan: ["Reproduire avec une rivière haute", "Trouver où les niveaux sont arrondis", "Comparer avant d’arrondir", "Garder l’alarme des capteurs en panne", "Ajouter un test et une ligne au journal des changements"],
    found: "`level_gap` arrondit les deux niveaux à dix centimètres **avant** de les comparer. Par rivière haute, cela cache jusqu’à neuf centimètres, et la porte croit les deux côtés égaux.",
    after: "La comparaison est juste. Reste l’alarme : `gauge` 0.4 annonce un capteur en panne comme un niveau nul, je voudrais donc avancer cette seule dépendance",
    run: "cargo test -p lockkeeper gates",
    queued: ["Puis lance toute la suite une fois, pas seulement les portes", "Écris la ligne du journal pour les éclusiers"],
    command: "cargo update -p gauge --precise 0.4.7",
    allow: "Autoriser une fois", always: "Toujours autoriser cargo update", reject: "Refuser", rejectWhy: "Refuser et dire pourquoi",
    review: "Relire les changements de cette branche", release: "Rédiger les notes depuis la dernière étiquette", resume: "Reprendre une session précédente",
    modeAsk: "Demander avant", modeAuto: "Modifier librement", modeAskSays: "Demande avant de modifier ou de lancer", modeAutoSays: "Ne demande jamais", model: "Modèle",
    reviewRoom: "Relecture", docsRoom: "Manuel",
    question: "Peut-on changer l’arrondi des niveaux dans une version corrective ?",
    answers: [
      "Oui. Les valeurs gardées restent telles quelles ; seule la **comparaison** change.\n\n- aucun type public ne change\n- une ligne du journal en dit plus",
      "Le manuel dit « arrondi à dix centimètres » sur deux pages. Je les changerais dans le même dépôt :\n\n1. *Portes*, section 3\n2. *Alarmes*, le tableau",
      "Je l’ai mesuré : la comparaison ne coûte rien de visible.\n\n| cas | avant | après |\n|---|---|---|\n| une porte | 41 ns | 42 ns |\n| toutes | 1,9 µs | 1,9 µs |",
    ],
    second: "Alors faisons-le. @reviewer, regarde d’abord les tests.",
    secondAnswer: "Les tests n’ont jamais de rivière haute. J’en ajouterais un avec 3,94 m en amont et 3,87 m en aval",
    reading: "src/gates.rs", writing: "docs/gates.md",
    portAsks: "Garder l’ancien format de carte lisible une version de plus, ou l’abandonner ?", fixturesSay: "31 niveaux ajoutés, tous les tests passent",
  },
};

const BEFORE = `use gauge::Level;

/// Whether both sides are even enough to open.
pub fn may_open(above: Level, below: Level) -> bool {
    level_gap(above, below) == 0
}

fn level_gap(above: Level, below: Level) -> i64 {
    let above = (above.metres() * 10.0) as i64;
    let below = (below.metres() * 10.0) as i64;
    above - below
}

pub fn describe(gate: &Gate) -> String {
    format!("{} at {} m", gate.name, gate.above)
}
`;

const AFTER = `use gauge::Level;

/// Whether both sides are even enough to open.
pub fn may_open(above: Level, below: Level) -> bool {
    level_gap(above, below) == 0
}

fn level_gap(above: Level, below: Level) -> i64 {
    // Rounding comes last: high water hid up to nine centimetres.
    ((above.metres() - below.metres()) * 10.0).round() as i64
}

pub fn describe(gate: &Gate) -> String {
    format!("{} at {} m", gate.name, gate.above)
}
`;

/** As a terminal would have shown it. */
const [OK, FAILED] = ["\u001b[32mok\u001b[0m", "\u001b[31mFAILED\u001b[0m"];

const OUTPUT = [
  ...Array.from({ length: 33 }, (_, at) => `test gates::case_${String(at + 1).padStart(2, "0")} ... ${OK}`),
  `test gates::broken_sensor ... ${FAILED}`, "", "---- gates::broken_sensor ----", "  left: 0.00", " right: alarm", "", `test result: ${FAILED}. 33 passed; 1 failed`,
].join("\n");

export const CONFIGURATION = `# The desk of this machine. Saved changes apply at once.
theme = "system"
language = "system"

[limits]
maxRunningAgents = 8
stopIdleAgentsAfter = "15m"   # "30s" to "24h", or "never"

[[agents]]
name = "builder"
title = "Builder"
preset = "claude"
cwd = "~/src/lockkeeper"
permissions = "ask"

[[agents]]
name = "bench"
command = "lock-bench"

[[agents]]
name = "reviewer"
preset = "codex"
permissions = "allow_reads"   # reading needs no answer
description = "Reads every change"

[[channels]]
name = "review"
agents = ["builder", "reviewer"]

[[mcp_servers]]
name = "gauges"
command = "gauge-mcp"
args = ["--stations", "stations.json"]
`;

/** Returns the scene; times are before `now`. */
export function story(language, now) {
  const t = TEXTS[language];
  const agent = (name, title, icon, description, state, more = {}) => ({
    name, title, icon, description, state, error: null, outdated: false, stopping: false, pid: state === "stopped" || state === "error" ? null : 41_870 + name.length,
    version: state === "stopped" || state === "error" ? null : `${title} 2.4.1`, started_at: state === "stopped" || state === "error" ? null : now - 130 * MINUTE_MS,
    capabilities: { load_session: true, resume_session: true, list_sessions: true, close_session: true, image: true, audio: false, embedded_context: true, mcp_http: false, mcp_sse: false },
    auth_methods: [], ...more,
  });
  const agents = [
    agent("builder", t.builder, "hammer", null, "busy"),
    agent("reviewer", t.reviewer, "eye", t.reviewerSays, "busy"),
    agent("migrations", t.migrations, "database", t.migrationsSays, "busy"),
    agent("handbook", t.handbook, "book", t.handbookSays, "ready"),
    agent("translator", t.translator, "globe", t.translatorSays, "ready", { outdated: true }),
    agent("bench", t.bench, "gauge", t.benchSays, "starting"),
    agent("nightly", t.nightly, "moon", t.nightlySays, "error", { cause: { kind: "exited", code: 3 }, error: "exited with code 3\nerror: cannot open /srv/lockkeeper/cache.lock:\npermission denied" }),
    agent("gemini", t.gemini, "gemini", t.geminiSays, "stopped"),
    agent("scratch", t.scratch, "flask", t.scratchSays, "stopped"),
  ];
  return { t, agents, builder: builderTurn(t), rooms: rooms(t), log: LOG };
}

const LOG = ["lock file: /srv/lockkeeper/cache.lock", "opening cache", "error: cannot open /srv/lockkeeper/cache.lock:", "permission denied"];

function builderTurn(t) {
  const tool = (id, kind, title, more) => ({
    kind: "tool",
    tool: { id, title, kind, status: "completed", input: null, output: null, locations: [], diffs: [], ...more },
  });
  const asked = {
    id: "call-5", title: t.command, kind: "execute", status: "pending", input: JSON.stringify({ command: t.command, cwd: "/home/ada/src/lockkeeper" }),
    output: null, locations: [{ path: "/home/ada/src/lockkeeper/Cargo.lock" }], diffs: [],
  };
  const plan = t.plan.map((content, at) => ({ content, priority: "medium", status: at < 3 ? "completed" : at === 3 ? "in_progress" : "pending" }));
  return {
    title: t.title,
    ask: [{ kind: "text", text: t.ask }, { kind: "resource", resource: { uri: "file:///home/ada/levels-2026-11.csv", name: "levels-2026-11.csv", mime_type: "text/csv", text: null } }],
    parts: [
      { kind: "thought", text: t.thought },
      { kind: "plan", entries: plan },
      tool("call-1", "read", "Read src/gates.rs", { locations: [{ path: "/home/ada/src/lockkeeper/src/gates.rs" }], output: BEFORE }),
      tool("call-2", "search", "“as i64”", { output: "src/gates.rs:9\nsrc/gates.rs:10\nsrc/report.rs:41" }),
      { kind: "text", text: t.found },
      tool("call-3", "edit", "Edit src/gates.rs", { diffs: [{ path: "/home/ada/src/lockkeeper/src/gates.rs", oldText: BEFORE, newText: AFTER, newFile: false }] }),
      tool("call-4", "execute", t.run, { status: "failed", input: JSON.stringify({ command: t.run }), output: OUTPUT }),
      { kind: "text", text: t.after },
      { kind: "tool", tool: asked },
    ],
    asked,
    options: [
      { optionId: "once", name: t.allow, kind: "allow_once" },
      { optionId: "always", name: t.always, kind: "allow_always" },
      { optionId: "reject", name: t.reject, kind: "reject_once" },
      { optionId: "why", name: t.rejectWhy, kind: "reject_once" },
    ],
    queued: t.queued,
    usage: { used: 124_180, size: 200_000, cost: { amount: 0.84, currency: "USD" } },
    commands: [{ name: "review", description: t.review }, { name: "release", description: t.release }, { name: "resume", description: t.resume }],
    modes: { current: "ask", available: [{ id: "ask", name: t.modeAsk, description: t.modeAskSays }, { id: "auto", name: t.modeAuto, description: t.modeAutoSays }] },
    options_of_session: [
      { id: "model", name: t.model, description: null, category: "model", value: "marlin", choices: [{ value: "marlin", name: "Marlin 2", description: null, group: null }, { value: "sprat", name: "Sprat", description: null, group: null }] },
    ],
  };
}

function rooms(t) {
  return {
    channels: [
      { name: "review", title: t.reviewRoom, agents: ["reviewer", "handbook", "translator"] },
      { name: "manual", title: t.docsRoom, agents: ["handbook", "translator"] },
    ],
    question: t.question,
    answers: t.answers,
    second: t.second,
    secondAnswer: t.secondAnswer,
  };
}
