// How components reach the desk.
import { createContext } from "svelte";
import type { Desk } from "../stores/desk.svelte";

export const [useDesk, provideDesk] = createContext<Desk>();
