// Where the page begins: get in, open the connection, draw.
import "./styles/tokens.css";
import "./styles/base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { clock } from "./stores/clock.svelte";
import { Desk } from "./stores/desk.svelte";
import { router } from "./stores/route.svelte";
import { hasToken, login } from "./transport/login";

async function start(): Promise<void> {
  // A token that is refused leaves the page outside, and the connection then says so.
  await login(location, history).catch((thrown: unknown) => console.error(thrown));
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const desk = new Desk(`${scheme}://${location.host}/rpc`);
  // An address with a new token, pasted over this one, loads nothing anew. The router, which comes after, would take it for a place.
  addEventListener("hashchange", () => {
    if (!hasToken(location)) return;
    login(location, history).then(() => desk.retryNow()).catch((thrown: unknown) => console.error(thrown));
  });
  router.start();
  clock.start();
  mount(App, { target: document.getElementById("page") ?? document.body, props: { desk } });
  desk.open();
  // What tests look at to compare the page with the daemon.
  Object.assign(window, { pupitre: desk });
}

void start();
