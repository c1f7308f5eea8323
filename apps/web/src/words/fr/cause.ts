// Pourquoi quelque chose a pris fin ou a été refusé, en français.
import type { Cause } from "../../protocol";
import { quoted } from "./quote";

export function causeLine(cause: Cause): string {
  switch (cause.kind) {
    case "dropped": return "Pas envoyé : l’arrêt l’a retiré.";
    case "withdrawn": return "Pas envoyé : il a été repris.";
    case "daemon_ended": return "Pupitre a pris fin entre-temps.";
    case "stopped": return "Il a été arrêté pendant qu’il démarrait.";
    case "exited": return `L’agent a pris fin de lui-même, avec le code de sortie ${cause.code}.`;
    case "killed": return `Un signal a mis fin à l’agent : ${cause.name ?? cause.signal}.`;
    case "no_command": return `Sa commande ne peut pas être exécutée : ${cause.command}`;
    case "no_folder": return `Son dossier n’existe pas : ${cause.folder}`;
    case "no_handshake": return `Il n’a pas répondu en ${cause.seconds} s.`;
    case "too_many_agents": return `Trop d’agents tournent (${cause.busy.join(", ")}) ; la limite est ${cause.limit}.`;
    case "no_variable": return `La variable d’environnement ${cause.variable}, que nomme la configuration, n’est pas définie pour le démon.`;
    case "variable_not_handed_on":
      return `La variable d’environnement ${cause.variable}, que nomme la configuration, n’est pas transmise : sa valeur n’est pas de l’UTF-8, ou c’est une des variables de Pupitre.`;
    case "not_started": return `Le système ne l’a pas lancé : ${quoted(cause.error)}`;
    case "ended": return "L’agent a pris fin, on ne sait comment.";
    case "guard_ended": return "Quelqu’un a mis fin à son gardien, et à l’agent avec lui.";
    case "output_closed": return "Il a fermé sa sortie et n’a plus rien dit.";
    case "connection_ended": return `La liaison avec l’agent a été rompue : ${quoted(cause.said)}`;
    case "handshake_failed": return `L’agent et Pupitre ne se sont pas entendus : ${quoted(cause.said)}`;
    case "no_session": return `L’agent n’a pas ouvert de session : ${quoted(cause.said)}`;
    case "unclear_end": return "L’agent a fini sa réponse sans dire pourquoi.";
    case "task_failed": return "Sa tâche dans le démon a échoué ; redémarrez le démon, et lisez son journal.";
    case "login_ended":
      return cause.code === null
        ? `L’identification dans le terminal a été interrompue${cause.signal === null ? "" : ` : ${cause.signal}`}.`
        : `L’identification dans le terminal a pris fin avec le code ${cause.code}.`;
    case "not_readable": return `${cause.path} ne peut pas être lu : ${quoted(cause.error)}`;
    case "not_writable": return `${cause.path} ne peut pas être écrit : ${quoted(cause.error)}`;
    case "no_file": return `${cause.path} n’existe pas.`;
    case "bad_name":
      return `Ce nom ne convient pas : ${cause.most} caractères au plus, tous visibles, pas seulement des chiffres, sans blanc au bord, ni "cmdline:" ou "cwd:" devant.`;
    case "name_taken": return `Le nom ${quoted(cause.name)} est déjà pris : choisissez-en un autre.`;
    case "too_many_workspaces": return `Il y a déjà ${cause.most} espaces de travail : fermez-en un d’abord.`;
  }
}
