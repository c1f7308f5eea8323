// The wire, as the page knows it: the generated types, and those of the settings service and of channels, which
// stand here until the generated ones have them.
import type { AgentName, Empty, Frame as GeneratedFrame, MessageId, Methods as GeneratedMethods } from "./gen/protocol";

export type * from "./gen/protocol";
export { LIMITS, PROTOCOL } from "./gen/protocol";

/** How the page looks, as the configuration says it. */
export type Theme = "light" | "dark" | "system";

/** Which language the page speaks, as the configuration says it. */
export type Language = "en" | "fr" | "system";

/** Where the configuration file in force came from. */
export type ConfigSource = "flag" | "environment" | "recent" | "default";

/** Something that is wrong with a configuration, or may be; line and column count from 1. */
export type Problem = {
  line: number;
  column: number;
  message: string;
  /** It does not keep the file from being used. */
  warning: boolean;
};

/** A room with several agents. */
export type ChannelView = { name: string; title: string; agents: Array<AgentName> };

/** Reply of `config.current`. */
export type ConfigView = {
  path: string;
  source: ConfigSource;
  /** The file did not exist and was made now. */
  created: boolean;
  valid: boolean;
  problems: Array<Problem>;
  warnings: Array<Problem>;
  theme: Theme;
  language: Language;
  channels: Array<ChannelView>;
};

/** Reply of `config.save`; `hash` is that of the file as it is now. */
export type ConfigSaveReply = {
  saved: boolean;
  reason: null | "invalid" | "changed";
  problems: Array<Problem>;
  hash: string;
};

/** A folder, or a file that may be a configuration. */
export type BrowseEntry = { name: string; path: string; folder: boolean };

/** A file that was opened in the program. */
export type RecentFile = { path: string; exists: boolean };

/** The answer of one agent in a channel. */
export type ChannelAnswer = {
  agent: AgentName;
  /** The user message in this agent's conversation; null when the agent did not take it, which `error` explains. */
  messageId: MessageId | null;
  error: string | null;
};

/** One message of a channel and the turns that answer it. */
export type ChannelEntry = { id: string; createdAt: number; text: string; answers: Array<ChannelAnswer> };

type PendingMethods = {
  "config.current": { params: Empty; reply: ConfigView };
  "config.content": { params: Empty; reply: { text: string; hash: string } };
  "config.validate": { params: { text: string }; reply: { valid: boolean; problems: Array<Problem> } };
  "config.save": { params: { text: string; hash: string }; reply: ConfigSaveReply };
  "config.schema": { params: Empty; reply: unknown };
  "config.open": { params: { path: string }; reply: ConfigView };
  "config.recent": { params: Empty; reply: Array<RecentFile> };
  "config.browse": {
    params: { folder?: string | null };
    reply: { folder: string; parent: string | null; entries: Array<BrowseEntry>; truncated: boolean };
  };
  "channel.list": { params: Empty; reply: { channels: Array<ChannelView> } };
  "channel.send": { params: { channel: string; text: string }; reply: { messageIds: Array<MessageId>; entry: ChannelEntry } };
  "channel.messages": { params: { channel: string }; reply: { entries: Array<ChannelEntry>; truncated: boolean } };
};

type PendingEvent =
  | { type: "config:changed"; path: string; valid: boolean; problems: Array<Problem> }
  | { type: "channel:updated"; channel: string; entry: ChannelEntry };

/** Every method that the page calls. */
export type Methods = GeneratedMethods & PendingMethods;

/** An event with its stamp. */
export type Frame = GeneratedFrame | (PendingEvent & { epoch: string; seq: number; ts: number });
