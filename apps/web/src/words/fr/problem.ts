// Ce qui ne va pas dans le fichier de configuration, en français, d’après la cause que donne le démon.
import type { Problem, ProblemCause, ProblemSubject, ProblemTable, ValueType } from "../../protocol";
import { quoted } from "./quote";

/** Une cause qu’un démon plus récent a inventée se lit dans ses mots à lui. */
export function problemLine({ cause, message }: Problem): string {
  const line: string | undefined = cause ? lineOf(cause) : undefined;
  return line ?? `le fichier ne convient pas : ${quoted(message)}`;
}

function lineOf(cause: ProblemCause): string {
  switch (cause.kind) {
    case "file_gone": return "le fichier n’est plus là";
    case "file_unreadable": return `le fichier ne peut pas être lu : ${quoted(cause.error)}`;
    case "file_too_large": return `le fichier a ${cause.bytes} octets ; il en a ${cause.most} au plus`;
    case "not_utf8": return "ce qui suit n’est pas de l’UTF-8";
    case "not_toml": return `ce n’est pas du TOML valable : ${quoted(cause.said)}`;
    case "duplicate_key": return "cette clé est déjà donnée";
    case "bad_key": return "une clé sans guillemets n’a que des lettres, des chiffres, « - » et « _ »";
    case "more_behind_value": return "rien ne peut suivre ici qu’un commentaire : la suite va à la ligne";
    case "key_without_value": return "il manque « = » et la valeur de cette clé";
    case "missing_value": return "la valeur manque";
    case "unquoted_text": return "un texte s’écrit entre guillemets";
    case "switch_spelling": return "true et false s’écrivent en minuscules, sans guillemets";
    case "quote_missing": return `ce texte n’est pas fermé : il manque ${cause.quote} à la fin`;
    case "header_not_closed": return `cet en-tête n’est pas fermé : il manque « ${cause.bracket} »`;
    case "array_not_closed": return "ce tableau n’est pas fermé : il manque « ] »";
    case "table_not_closed": return "cette table n’est pas fermée : il manque « } »";
    case "text_not_closed": return "ce texte n’est pas fermé : il manque les trois guillemets de la fin";
    case "rest_uncertain": return "tant que ceci ne peut pas être lu, le fichier peut avoir d’autres problèmes que ceux d’ici";
    case "more_problems": return `il y a ${cause.count} problèmes de plus à partir d’ici`;
    case "more_warnings": return `il y a ${cause.count} remarques de plus à partir d’ici`;
    case "unknown_key":
      return cause.suggestion === null
        ? `clé inconnue ${quoted(cause.key)} dans ${A[cause.table]} ; il y a : ${cause.known.join(", ")}`
        : `clé inconnue ${quoted(cause.key)} ; vouliez-vous dire ${quoted(cause.suggestion)} ?`;
    case "sign_in_key": return `clé inconnue dans ${A[cause.table]} : elle a un « ${cause.sign} » entre ses guillemets`;
    case "key_of_file":
      return `clé inconnue ${quoted(cause.key)} dans ${A[cause.table]} : c’est une clé du fichier entier ; écrivez-la au-dessus de la première table, par exemple [[agents]]`;
    case "key_of_table": return `clé inconnue ${quoted(cause.key)} dans ${A[cause.table]} : sa place est sous ${cause.header}`;
    case "key_of_env": return `clé inconnue ${quoted(cause.key)} dans ${A[cause.table]} : les variables vont dans « env »`;
    case "bad_variable": return 'le nom d’une variable n’a ni « = » ni caractère NUL ; écrivez NOM = "valeur"';
    case "missing_key": return `${A[cause.table]} n’a pas de ${quoted(cause.key)}${cause.name === null ? "" : ` : ${quoted(cause.name)}`}`;
    case "wrong_type": {
      const write = cause.header === null ? "" : ` ; écrivez ${cause.header}`;
      return `${subject(cause.subject)} doit être ${WANTED[cause.wanted]}, et non ${TYPES[cause.found]}${write}`;
    }
    case "out_of_range": return `${subject(cause.subject)} va de ${cause.least} à ${cause.most}`;
    case "unknown_value": return meantOrKnown(`${subject(cause.subject)} ne peut pas être ${quoted(cause.value)}`, cause);
    case "unknown_preset": return meantOrKnown(`preset inconnu ${quoted(cause.preset)}`, cause);
    case "bad_duration": return '« stopIdleAgentsAfter » va de "30s" à "24h", ou est "never"';
    case "bad_name": return "un nom a des a-z, 0-9, « - » et « _ », 32 au plus, et pas seulement des chiffres";
    case "empty": return `${subject(cause.subject)} ne peut pas être vide`;
    case "no_agents": return `il faut au moins un agent à ${A[cause.table]}`;
    case "too_many_entries": return `${subject(cause.subject)} a plus de ${cause.most} entrées`;
    case "against_schema": return `${subject(cause.subject)} n’obéit pas à « ${cause.keyword} » du schéma`;
    case "nul_character": return "un texte ne peut pas avoir de caractère NUL ici";
    case "duplicate_name": return `il y a deux ${PLURAL[cause.table]} du nom de ${quoted(cause.name)}`;
    case "agent_twice": return `${the(cause.table, cause.name)} nomme ${quoted(cause.agent)} deux fois`;
    case "unknown_agent": {
      const unknown = `${the(cause.table, cause.name)} nomme l’agent inconnu ${quoted(cause.agent)}`;
      return cause.suggestion === null ? unknown : `${unknown} ; vouliez-vous dire ${quoted(cause.suggestion)} ?`;
    }
    case "nothing_to_run": return `${the("agent", cause.name)} n’a ni « command » ni « preset »`;
    case "command_not_found": return `la commande ${quoted(cause.command)} ne se trouve pas dans PATH`;
    case "not_executable": return `${quoted(cause.command)} n’est pas un programme qui peut être exécuté`;
    case "folder_missing": return `le dossier de travail ${quoted(cause.folder)} n’existe pas`;
    case "image_missing": return `l’image ${quoted(cause.image)} n’existe pas`;
    case "unknown_icon": return meantOrKnown(`aucune icône fournie ne s’appelle ${quoted(cause.icon)}`, cause);
    case "variable_not_set": return `la variable d’environnement ${cause.variable} n’est pas définie`;
    case "variable_not_handed_on":
      return `la variable d’environnement ${cause.variable} est définie, mais pas transmise : sa valeur n’est pas de l’UTF-8, ou c’est une des variables de Pupitre`;
    case "free_access": return "les agents peuvent écrire dans tous les terminaux, ceux d’autres agents compris";
    case "others_may_write":
      return `d’autres utilisateurs peuvent modifier ce fichier, et donc exécuter ce qu’ils veulent en votre nom ; ${quoted(cause.command)} leur retire ce droit`;
    case "counts_later": return `${quoted(cause.key)} compte à partir du prochain démarrage du démon ; « pupitre stop » arrête celui-ci`;
  }
}

const A: Record<ProblemTable, string> = { file: "le fichier", limits: "[limits]", agent: "un agent", channel: "un salon", mcp_server: "un serveur MCP" };
const PLURAL: Record<ProblemTable, string> = { file: "fichiers", limits: "limites", agent: "agents", channel: "salons", mcp_server: "serveurs MCP" };
const THE: Record<ProblemTable, string> = { file: "le fichier", limits: "[limits]", agent: "l’agent", channel: "le salon", mcp_server: "le serveur MCP" };
const TYPES: Record<ValueType, string> = {
  string: "un texte", integer: "un entier", float: "un nombre à virgule", boolean: "true ou false", date_time: "une date ou une heure", array: "un tableau", table: "une table",
};
const WANTED: Record<ValueType, string> = { ...TYPES, string: "un texte entre guillemets" };

function the(table: ProblemTable, name: string | null): string {
  return name === null ? THE[table] : `${THE[table]} ${quoted(name)}`;
}

function subject(subject: ProblemSubject): string {
  switch (subject.kind) {
    case "file": return "le fichier";
    case "key": return quoted(subject.key);
    case "element": return `un élément de ${quoted(subject.key)}`;
    case "env_value": return "une valeur de « env »";
  }
}

function meantOrKnown(line: string, { suggestion, known }: { suggestion: string | null; known: readonly string[] }): string {
  return suggestion === null ? `${line} ; il y a : ${known.join(", ")}` : `${line} ; vouliez-vous dire ${quoted(suggestion)} ?`;
}
