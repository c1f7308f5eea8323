// The wire, as the page knows it: the generated types, and those of the settings service and of channels, which
// stand here until the generated ones have them.
import type { AgentName, Empty, Frame as GeneratedFrame, MessageId, Methods as GeneratedMethods } from "./gen/protocol";

export type * from "./gen/protocol";
export { LIMITS, PROTOCOL } from "./gen/protocol";

/** How the page looks, as the configuration says it. */
export type Theme = "light" | "dark" | "system";

/** Which language the page speaks, as the configuration says it. */
export type LanguageChoice = "en" | "fr" | "system";

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
  language: LanguageChoice;
  channels: Array<ChannelView>;
};

/** Reply of `config.save`. */
export type SaveReply = {
  saved: boolean;
  reason: null | "invalid" | "changed";
  problems: Array<Problem>;
  hash: string;
};

/** One file or folder of `config.browse`. */
export type BrowseEntry = { name: string; path: string; directory: boolean };

/** What an agent answered to one message of a channel. */
export type ChannelAnswer = { agent: AgentName; messageId: MessageId };

/** One message of a channel and the turns that answer it. */
export type ChannelEntry = { id: string; createdAt: number; text: string; answers: Array<ChannelAnswer> };

type PendingMethods = {
  "config.current": { params: Empty; reply: ConfigView };
  "config.content": { params: Empty; reply: { text: string; hash: string } };
  "config.validate": { params: { text: string }; reply: { problems: Array<Problem>; warnings?: Array<Problem> } };
  "config.save": { params: { text: string; hash: string }; reply: SaveReply };
  "config.schema": { params: Empty; reply: { schema?: unknown } };
  "config.open": { params: { path: string }; reply: Empty };
  "config.recent": { params: Empty; reply: { files: Array<{ path: string; exists: boolean }> } };
  "config.browse": {
    params: { path?: string | null };
    reply: { path: string; parent: string | null; entries: Array<BrowseEntry> };
  };
  "channel.list": { params: Empty; reply: { channels: Array<ChannelView> } };
  "channel.send": { params: { channel: string; text: string }; reply: { messages: Array<MessageId> } };
  "channel.messages": { params: { channel: string }; reply: { entries: Array<ChannelEntry> } };
};

type PendingEvent =
  | { type: "config:changed"; path: string; valid: boolean; problems: Array<Problem> }
  | { type: "channel:updated"; channel: string; entry: ChannelEntry };

/** Every method that the page calls. */
export type Methods = GeneratedMethods & PendingMethods;

/** An event with its stamp. */
export type Frame = GeneratedFrame | (PendingEvent & { epoch: string; seq: number; ts: number });
