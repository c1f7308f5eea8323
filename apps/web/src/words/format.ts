// Numbers, times and durations as each language writes them.
import type { Language } from "./language.svelte";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The person's own form of the language, as far as the browser tells: dates differ between London and New York. */
function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? (language === "en" ? "en-GB" : language);
}

const formats = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function kept<F extends Intl.DateTimeFormat | Intl.NumberFormat>(key: string, make: () => F): F {
  let format = formats.get(key);
  if (!format) formats.set(key, (format = make()));
  return format as F;
}

export function formatNumber(value: number, language: Language): string {
  return kept(`number ${language}`, () => new Intl.NumberFormat(localeOf(language))).format(value);
}

export function formatPercent(share: number, language: Language): string {
  const make = () => new Intl.NumberFormat(localeOf(language), { style: "percent", maximumFractionDigits: 0 });
  return kept(`percent ${language}`, make).format(share);
}

/** Returns an amount in its currency, or both as they came when the currency is none that is known. */
export function formatMoney(amount: number, currency: string, language: Language): string {
  // A first answer often costs less than a cent.
  const isTiny = amount > 0 && amount < 0.01;
  const options = {
    style: "currency", currency, currencyDisplay: "narrowSymbol",
    ...(isTiny ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }),
  } as const;
  try {
    return kept(`${currency} ${isTiny} ${language}`, () => new Intl.NumberFormat(localeOf(language), options)).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

export function formatBytes(bytes: number, language: Language): string {
  const steps = language === "fr" ? ["o", "ko", "Mo", "Go"] : ["B", "kB", "MB", "GB"];
  let value = bytes;
  let step = 0;
  while (value >= 1000 && step < steps.length - 1) {
    value /= 1000;
    step += 1;
  }
  const rounded = value < 10 && step > 0 ? Math.round(value * 10) / 10 : Math.round(value);
  return `${formatNumber(rounded, language)}\u00a0${steps[step]}`;
}

/** Returns a limit, which is a whole number of binary megabytes. */
export function formatLimit(bytes: number, language: Language): string {
  return `${formatNumber(bytes / 2 ** 20, language)}\u00a0${language === "fr" ? "Mio" : "MiB"}`;
}

/** Returns a span such as `18 s`, `1 min 52 s`, `2 h 10 min`, `3 d`: two units at most. */
export function formatDuration(milliseconds: number, language: Language): string {
  const ms = Math.max(0, milliseconds);
  const unit = (value: number, name: string) => `${Math.floor(value)}\u00a0${name}`;
  if (ms < MINUTE_MS) return unit(ms / SECOND_MS, "s");
  if (ms < HOUR_MS) {
    const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS);
    return unit(ms / MINUTE_MS, "min") + (seconds > 0 ? ` ${unit(seconds, "s")}` : "");
  }
  if (ms < DAY_MS) {
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
    return unit(ms / HOUR_MS, "h") + (minutes > 0 ? ` ${unit(minutes, "min")}` : "");
  }
  return unit(ms / DAY_MS, language === "fr" ? "j" : "d");
}

export function formatTime(at: number, language: Language): string {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return kept(`time ${language}`, () => new Intl.DateTimeFormat(localeOf(language), options)).format(at);
}

export function formatDate(at: number, language: Language): string {
  const options = { day: "numeric", month: "short", year: "numeric" } as const;
  return kept(`date ${language}`, () => new Intl.DateTimeFormat(localeOf(language), options)).format(at);
}

/** Returns how long ago something was, in the little room of a list: `4 s`, `2 min`, `1 h`, then the day. */
export function formatAge(at: number, now: number, language: Language): string {
  const ms = Math.max(0, now - at);
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}\u00a0s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}\u00a0min`;
  if (ms < 12 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)}\u00a0h`;
  const days = dayNumber(now) - dayNumber(at);
  if (days === 0) return formatTime(at, language);
  if (days < 7) {
    return kept(`weekday ${language}`, () => new Intl.DateTimeFormat(localeOf(language), { weekday: "short" })).format(at);
  }
  const options = { day: "numeric", month: "short" } as const;
  return kept(`day ${language}`, () => new Intl.DateTimeFormat(localeOf(language), options)).format(at);
}

/** Returns a day's name for a line between messages: today, yesterday, or the date. */
export function formatDay(at: number, now: number, language: Language): string {
  const days = dayNumber(now) - dayNumber(at);
  if (days <= 1) {
    const make = () => new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    const word = make().format(-days, "day");
    return word.charAt(0).toLocaleUpperCase(language) + word.slice(1);
  }
  const options = { weekday: "long", day: "numeric", month: "long" } as const;
  const word = kept(`long day ${language}`, () => new Intl.DateTimeFormat(localeOf(language), options)).format(at);
  return word.charAt(0).toLocaleUpperCase(language) + word.slice(1);
}

export function dayNumber(at: number): number {
  const date = new Date(at);
  return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / DAY_MS);
}
