// Pourquoi une demande n’a pas abouti, en français, d’après le genre d’erreur que donne le démon.
import type { ErrorKind } from "../../protocol";
import type { CallFailure } from "../../transport/failure";
import { causeLine } from "./cause";
import { quoted } from "./quote";

/** Les genres du démon, et ceux de la page quand personne n’a répondu. */
type Kind = ErrorKind | "connection_lost" | "upload_failed" | "logout_failed";

const LINES: Record<Kind, string> = {
  parse_error: "Le démon n’a pas compris cette demande.",
  invalid_request: "Le démon n’a pas compris cette demande.",
  too_large: "C’est trop grand.",
  unknown_method: "Le démon qui tourne est plus ancien que cette page. Redémarrez-le : pupitre stop, puis pupitre.",
  invalid_params: "Le démon n’accepte pas ces valeurs.",
  empty_message: "Le message est vide.",
  internal: "Le démon a échoué de lui-même.",
  history_unavailable: "Les conversations ne peuvent pas être lues ni écrites en ce moment.",
  too_many_connections: "Trop de demandes à la fois : réessayez.",
  queue_full: "Trop de choses attendent déjà : réessayez plus tard.",
  shutting_down: "Le démon est en train de s’arrêter.",
  foreign_user: "Ce démon est celui d’un autre utilisateur.",
  gate_closed: "Ce qu’un agent lance ne peut pas faire cela.",
  not_from_inside: "Ce qu’un agent lance ne peut pas faire cela : la décision est à vous.",
  not_found: "Ce n’est pas là, ou plus là.",
  ambiguous: "Plusieurs répondent à ce nom.",
  timeout: "C’était trop long.",
  not_running: "L’agent ne tourne pas.",
  no_session: "L’agent n’a pas de session ouverte ; un message en ouvre une.",
  too_many_agents: "Trop d’agents tournent.",
  start_failed: "Il n’a pas pu démarrer.",
  start_cancelled: "Il a été arrêté pendant qu’il démarrait.",
  already_answered: "On y a déjà répondu, ou la question a été retirée.",
  not_queued: "Le message n’est plus en attente.",
  turn_running: "L’agent répond : attendez la fin de la réponse, ou arrêtez-la.",
  read_only: "Cette conversation se lit seulement : elle est d’une autre configuration.",
  not_supported: "L’agent n’offre pas cela.",
  file_error: "Un fichier n’a pas pu être lu ou écrit.",
  surface_closed: "Le panneau a été fermé.",
  program_ended: "Le programme du panneau a pris fin.",
  asks: "Il attend une décision de votre part.",
  target_errored: "Son tour ou son processus a échoué.",
  too_many_surfaces: "Trop de panneaux, de vues ou de commandes sont ouverts : fermez-en.",
  no_display: "Il n’y a pas de fenêtre pour montrer cela.",
  auth_required: "L’agent veut d’abord que vous vous identifiiez.",
  agent_error: "L’agent a répondu par une erreur.",
  connection_lost: "La connexion avec le démon est perdue.",
  upload_failed: "Le fichier n’est pas arrivé.",
  logout_failed: "Ce navigateur n’a pas été déconnecté.",
};

/** Ces genres disent trop peu sans les mots de l’erreur. */
const WITH_WORDS: readonly string[] = [
  "parse_error", "invalid_request", "invalid_params", "internal", "history_unavailable", "start_failed", "file_error", "agent_error", "upload_failed", "logout_failed",
] satisfies Kind[];

export function failureLine({ kind, cause, message, agentError }: CallFailure): string {
  const because: string | undefined = cause ? causeLine(cause) : undefined;
  if (because !== undefined) return because;
  // Un démon plus récent peut avoir d’autres genres.
  const line = (LINES as Record<string, string>)[kind];
  const words = quoted(agentError ?? message);
  if (line === undefined) return `Cela n’a pas abouti : ${words}`;
  return WITH_WORDS.includes(kind) ? `${line.slice(0, -1)} : ${words}` : line;
}
