// What the palette offers, and how what is typed picks from it.
import type { ConversationSummary, Language, Theme } from "../protocol";
import type { Desk } from "../stores/desk.svelte";
import { panesView } from "../panes/view.svelte";
import { type Kept, keepingView } from "../places/keeping/view.svelte";
import { hasAgent, type ShownState, shownState, stateOfSurface } from "../parts/states";
import { hasWord } from "../stores/keeping.svelte";
import { preferences } from "../stores/preferences.svelte";
import { router } from "../stores/route.svelte";
import type { Catalogue } from "../words/en";
import { logout } from "../transport/login";
import { writeKey } from "./theme";
import { overlays } from "./window.svelte";

export type Group = "actions" | "agents" | "channels" | "panes" | "conversations";

type Offer = {
  id: string;
  group: Group;
  icon: string;
  title: string;
  note?: string;
  /** Of what it leads to; its word finds it, too. */
  state?: { shown: ShownState; word: string };
  /** In epoch milliseconds. */
  at?: number;
  run(): void | Promise<unknown>;
};

export type Piece = { text: string; isHit: boolean };
/** The lower its rank, the better a choice matches. */
export type Choice = Offer & { pieces: readonly Piece[]; rank: number };

const SHOWN_IN_GROUP = 12;

export function choicesOf(desk: Desk, conversations: readonly ConversationSummary[], say: Catalogue): Offer[] {
  const offers: Offer[] = [];
  const action = (id: string, icon: string, title: string, run: Offer["run"], note?: string) =>
    offers.push({ id, group: "actions", icon, title, run, note });
  const route = router.route;
  const earlier = route.place === "agents" ? route.earlier : null;
  const here = route.place === "agents" && route.agent !== null ? desk.agents.find(route.agent) : undefined;
  if (here) {
    const busy = desk.conversations.find(here.name, null)?.head?.busy === true;
    if (busy) action("stop-turn", "i-stop", say.stopAnswer(here.title), () => desk.call("chat.cancel", { agent: here.name }));
    action("new", "i-plus", say.newConversationWith(here.title), () => desk.call("chat.new", { agent: here.name }));
    action("find", "i-search", say.find, () => overlays.show("find"));
    const shown = desk.conversations.find(here.name, earlier)?.head;
    if (shown && shown.total > 0) {
      const kept: Kept = { id: shown.conversation, agent: here.name, title: shown.title, current: !shown.read_only, messages: shown.total };
      action("export", "i-export", say.exportThis, () => keepingView.export(kept));
      action("delete", "i-delete", say.deleteThis, () => keepingView.delete(kept));
    }
    action("history", "i-clock", say.earlierOf(here.title), () => overlays.show("history"));
    action("log", "i-read", say.logOf(here.title), () => overlays.show("log"));
  }
  for (const open of desk.asking.list) {
    const title = desk.agents.find(open.agent)?.title ?? open.agent;
    const go = () => router.go({ place: "agents", agent: open.agent, earlier: null });
    action(`ask-${open.id}`, "s-asks", say.notifyAsks(title), go, open.title);
  }
  for (const agent of desk.agents.list) {
    const isRunning = agent.state !== "stopped" && agent.state !== "error";
    const order = (method: "agent.start" | "agent.stop" | "agent.restart") => () => desk.agents.order(method, agent.name);
    if (isRunning) {
      action(`restart-${agent.name}`, "i-restart", say.restartAgent(agent.title), order("agent.restart"), agent.outdated ? say.toApplyChanges : undefined);
      action(`stop-${agent.name}`, "i-stop", say.stopAgent(agent.title), order("agent.stop"));
    } else action(`start-${agent.name}`, "i-play", say.startAgent(agent.title), order("agent.start"));
  }
  const outdated = desk.agents.list.filter((agent) => agent.outdated && agent.state !== "stopped");
  if (outdated.length > 1) {
    const all = () => Promise.all(outdated.map((agent) => desk.agents.order("agent.restart", agent.name)));
    action("restart-outdated", "i-restart", say.restartOutdated, all);
  }
  if (!desk.surfaces.isMissing) paneActions(desk, say, action);
  action("read-terminals", "i-eye", preferences.readsTerminals ? say.stopReadingTerminals : say.readTerminals, () => preferences.set({ readsTerminals: !preferences.readsTerminals }));
  action("search", "i-search", say.searchAll, () => overlays.search(""));
  action("settings", "i-settings", say.openSettings, () => router.go({ place: "settings" }));
  action("keys", "i-keyboard", say.showKeys, () => overlays.show("keys"));
  action("logout", "i-close", say.logOut, logout);
  if (!desk.configuration.isMissing) {
    for (const theme of ["system", "light", "dark"] as const satisfies readonly Theme[]) {
      action(`theme-${theme}`, theme === "dark" ? "i-moon" : "i-sun", `${say.theme}: ${say.themeName(theme)}`, () => writeKey(desk, "theme", theme));
    }
    for (const choice of ["en", "fr", "system"] as const satisfies readonly Language[]) {
      action(`language-${choice}`, "i-fetch", `${say.language}: ${say.languageName(choice)}`, () => writeKey(desk, "language", choice));
    }
  }
  const stateNow = (shown: ShownState) => ({ shown, word: say.state(shown) });
  for (const agent of desk.agents.list) {
    const run = () => router.go({ place: "agents", agent: agent.name, earlier: null });
    const facts = { isAsking: desk.asking.of(agent.name).length > 0, isStalled: desk.agents.stalled.get(agent.name) === true };
    offers.push({ id: `agent-${agent.name}`, group: "agents", icon: "i-agents", title: agent.title, state: stateNow(shownState(agent, facts)), run });
  }
  for (const channel of desk.channels.list) {
    const run = () => router.go({ place: "channels", channel: channel.name });
    offers.push({ id: `channel-${channel.name}`, group: "channels", icon: "i-channels", title: channel.title, note: channel.agents.join(", "), run });
  }
  for (const pane of desk.surfaces.list) {
    if (pane.kind !== "pane") continue;
    const note = [pane.command, pane.cwd && desk.host.short(pane.cwd)].filter((fact) => fact !== null).join(" · ");
    const state = hasAgent(pane) ? stateNow(stateOfSurface(pane)) : undefined;
    offers.push({ id: `pane-${pane.surface_id}`, group: "panes", icon: "i-panes", title: pane.surface_name, note, state, run: () => panesView.go(desk, pane.surface_id) });
  }
  for (const entry of conversations) {
    if (entry.messages === 0) continue;
    const run = () => router.go({ place: "agents", agent: entry.agent, earlier: entry.current ? null : entry.id });
    const note = desk.agents.find(entry.agent)?.title ?? entry.agent;
    offers.push({ id: entry.id, group: "conversations", icon: "i-agents", title: entry.title ?? say.untitled, note, at: entry.updated_at, run });
  }
  return offers;
}

type Action = (id: string, icon: string, title: string, run: Offer["run"], note?: string) => void;

/** What is done with panes: with the one that was used last, and with the workspace on show. */
function paneActions(desk: Desk, say: Catalogue, action: Action): void {
  const route = router.route;
  action("pane-new", "i-plus", say.newPane, () => void (panesView.dialog = { is: "new", workspace: null }));
  action("workspace-new", "i-plus", say.newWorkspace, async () => {
    const { workspace } = await desk.call("workspace.create", {});
    router.go({ place: "panes", workspace, pane: null });
  });
  if (route.place !== "panes") return;
  const pane = panesView.last === null ? undefined : desk.surfaces.find(panesView.last);
  if (pane) {
    const { surface_id: id, surface_name: name } = pane;
    action("pane-beside", "i-split", say.splitBeside(name), () => panesView.split(desk, id, "row"));
    action("pane-below", "i-splith", say.splitBelow(name), () => panesView.split(desk, id, "column"));
    action("pane-enlarge", "i-zoom", panesView.enlarged === id ? say.shrink : say.enlarge(name), () => panesView.toggleEnlarged(id));
    action("pane-find", "i-search", say.findInPane(name), () => void (panesView.finding = id));
    action("pane-rename", "i-edit", say.renameSurface(name), () => void (panesView.dialog = { is: "rename", surface: id }));
    action("pane-close", "i-close", say.closePane(name), () => panesView.close(desk, id));
  }
  const workspace = (route.workspace === null ? undefined : desk.workspaces.find(route.workspace)) ?? desk.workspaces.current;
  if (workspace) action("workspace-close", "i-close", say.closeWorkspace(workspace.name), () => void (panesView.dialog = { is: "close-workspace", workspace: workspace.workspace }));
}

const SEARCHED_FROM = 3;

/** Returns the way to look for what was typed in everything that was said. */
export function searchChoice(wanted: string, say: Catalogue): Choice[] {
  const words = wanted.trim();
  if (words.length < SEARCHED_FROM || wanted.startsWith(">") || !hasWord(words)) return [];
  const title = say.searchFor(words);
  return [{ id: "search-words", group: "conversations", icon: "i-search", title, pieces: [{ text: title, isHit: false }], rank: WORST_RANK + 1, run: () => overlays.search(words) }];
}

const WORST_RANK = 3;

/** Returns what matches: every word that was typed is somewhere in title or note; `>` asks for actions only. */
export function match(offers: readonly Offer[], wanted: string): Choice[] {
  const onlyActions = wanted.startsWith(">");
  const words = fold(wanted.replace(/^>/, "")).split(/\s+/).filter(Boolean);
  const found: { offer: Offer; rank: number }[] = [];
  for (const offer of offers) {
    if (onlyActions && offer.group !== "actions") continue;
    const title = fold(offer.title);
    const all = `${title} ${fold(offer.note ?? "")} ${fold(offer.state?.word ?? "")}`;
    if (!words.every((word) => all.includes(word))) continue;
    const first = words[0] ?? "";
    const rank = title.startsWith(first) ? 0 : title.includes(` ${first}`) ? 1 : title.includes(first) ? 2 : WORST_RANK;
    found.push({ offer, rank });
  }
  if (words.length > 0) found.sort((one, other) => one.rank - other.rank);
  const counts = new Map<Group, number>();
  const kept = found.filter(({ offer }) => {
    const count = (counts.get(offer.group) ?? 0) + 1;
    counts.set(offer.group, count);
    return count <= SHOWN_IN_GROUP;
  });
  return kept.map(({ offer, rank }) => ({ ...offer, pieces: piecesOf(offer.title, words), rank: words.length > 0 ? rank : 0 }));
}

function piecesOf(title: string, words: readonly string[]): Piece[] {
  const folded = fold(title);
  const word = words.find((word) => folded.includes(word));
  // Folding may change the length of a text; then nothing is marked rather than the wrong letters.
  if (word === undefined || folded.length !== title.length) return [{ text: title, isHit: false }];
  const at = folded.indexOf(word);
  return [
    { text: title.slice(0, at), isHit: false },
    { text: title.slice(at, at + word.length), isHit: true },
    { text: title.slice(at + word.length), isHit: false },
  ].filter((piece) => piece.text !== "");
}

/** Without case and accents. */
function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}
