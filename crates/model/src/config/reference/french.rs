//! The meaning of each key in French; the English one stands at the types of the file.

const MEANINGS: &[(&str, &str, &str)] = &[
    ("", "theme", "Les couleurs de l’interface."),
    ("", "language", "La langue de l’interface."),
    (
        "",
        "history",
        "Si les conversations sont conservées sur le disque. Un changement prend effet au prochain démarrage du démon.",
    ),
    (
        "",
        "scripting",
        "Si vos propres programmes peuvent écrire dans les terminaux. La variable `PUPITRE_SCRIPTING=1` dit la même chose pour un seul programme.",
    ),
    (
        "",
        "ai_unrestricted",
        "Si les agents aussi peuvent écrire dans les terminaux des autres (« accès libre des IA »).",
    ),
    (
        "",
        "ai_injection_fence",
        "Si les textes des terminaux et des agents sont marqués comme non fiables avant qu’un autre agent les lise.",
    ),
    (
        "",
        "agent_stall_threshold_secs",
        "Après combien de secondes de silence un tour est montré comme bloqué ; 0 pour jamais.",
    ),
    (
        "",
        "port",
        "Le port de la page, sur cette machine seulement ; 0 pour un port libre. Un changement prend effet au prochain démarrage du démon.",
    ),
    (
        "[limits]",
        "maxRunningAgents",
        "Combien d’agents peuvent avoir un processus en même temps.",
    ),
    (
        "[limits]",
        "stopIdleAgentsAfter",
        "Après combien de temps un agent inutilisé est arrêté : de `\"30s\"` à `\"24h\"`, ou `\"never\"`.",
    ),
    (
        "[[agents]]",
        "name",
        "Unique : a-z, 0-9, `-` et `_`, 32 au plus, pas seulement des chiffres.",
    ),
    ("[[agents]]", "title", "Pour les gens ; le nom s’il manque."),
    (
        "[[agents]]",
        "icon",
        "Pour les gens : le nom d’une icône fournie, un émoji, ou une image à côté de ce fichier.",
    ),
    ("[[agents]]", "description", "Pour les gens."),
    (
        "[[agents]]",
        "preset",
        "Un agent connu, qui donne commande, arguments, titre, icône et description ; chacun peut être remplacé.",
    ),
    (
        "[[agents]]",
        "command",
        "Un nom cherché dans `PATH`, ou un chemin ; `~/` est votre dossier personnel. Nécessaire sans préréglage.",
    ),
    (
        "[[agents]]",
        "args",
        "Les arguments de la commande ; ceux du préréglage s’ils manquent.",
    ),
    (
        "[[agents]]",
        "cwd",
        "Le dossier de travail ; `~` est votre dossier personnel, qui compte aussi s’il manque.",
    ),
    (
        "[[agents]]",
        "env",
        "Des variables pour l’agent, par-dessus l’environnement du démon ; une valeur `$NOM` y est lue.",
    ),
    (
        "[[agents]]",
        "permissions",
        "Ce qui arrive à ses demandes de permission : on demande à une personne, la lecture est permise sans question, ou tout est refusé.",
    ),
    (
        "[[agents]]",
        "client",
        "Ce qui est offert à l’agent : l’accès aux fichiers, des terminaux.",
    ),
    (
        "[[channels]]",
        "name",
        "Unique parmi les salons : a-z, 0-9, `-` et `_`, 32 au plus, pas seulement des chiffres.",
    ),
    ("[[channels]]", "title", "Pour les gens ; le nom s’il manque."),
    ("[[channels]]", "agents", "Les noms de ses agents."),
    (
        "[[mcp_servers]]",
        "name",
        "Unique parmi les serveurs MCP : a-z, 0-9, `-` et `_`, 32 au plus, pas seulement des chiffres.",
    ),
    (
        "[[mcp_servers]]",
        "command",
        "Un nom cherché dans `PATH`, ou un chemin ; `~/` est votre dossier personnel.",
    ),
    ("[[mcp_servers]]", "args", "Les arguments de la commande."),
    (
        "[[mcp_servers]]",
        "env",
        "Des variables pour le serveur ; une valeur `$NOM` est lue dans l’environnement du démon.",
    ),
    (
        "[[mcp_servers]]",
        "agents",
        "Les noms des agents qui le reçoivent ; tous s’il manque.",
    ),
];

/// Returns what a key of a table means.
pub(super) fn meaning(table: &str, key: &str) -> &'static str {
    MEANINGS
        .iter()
        .find(|(of, name, _)| *of == table && *name == key)
        .map(|(_, _, meaning)| *meaning)
        .unwrap_or_else(|| panic!("the key {key} of {table} has no meaning in French"))
}
