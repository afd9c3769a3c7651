/**
 * What an answer looks like, by how the question begins: "how long" is answered by a time, "how much" by a price. The
 * words for it are mostly chatter, and tell nothing of the matter; they tell which passage about the matter it is.
 */
const expectations: { asked: RegExp; given: RegExp }[] = [
  {
    asked: /\b(?:how (?:long|soon|fast|quickly|often)|when|until when|by when|deadline|wie (?:lange|schnell|oft)|(?:ab|bis|seit)? ?wann|frist|combien de temps|quand|délai|cuánto (?:tiempo|tarda)|cuándo|plazo)\b/iu,
    given:
      /\b(?:\d+|one|two|three|four|five|six|seven|eight|ten|twelve|ein(?:e[mnr]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|zehn|zwölf|un|une|deux|trois|dos|tres)\s*(?:[-–]|to|bis|à|a)?\s*\d*\s*(?:\p{L}+\s)?(?:minutes?|hours?|days?|weeks?|months?|years?|minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?|werktag\p{L}*|heures?|jours?|semaines?|mois|ans?|horas?|d[ií]as?|semanas?|meses|años?)\b|\b\d{1,2}[:.]\d\d\b/iu,
  },
  {
    asked: /\b(?:how (?:much|expensive)|costs?|prices?|fees?|charges?|pay|cheap(?:er)?|was kostet|kostet|kosten|preise?|gebühr(?:en)?|wie ?viel|wie teuer|teuer|combien|coûte|prix|tarifs?|cuánto|cuesta|precios?)\b/iu,
    given: /[€$£]\s?\d|\d\s?(?:[€$£%]|eur\b|euros?\b|usd\b|chf\b|gbp\b|cents?\b|prozent\b)|\b(?:free|kostenlos|gratis|gratuit|nothing)\b/iu,
  },
  {
    asked: /\b(?:phone|telephone|call|number|hotline|telefon(?:nummer)?|anrufen|nummer|téléphone|appeler|teléfono|llamar)\b/iu,
    given: /\+?\d[\d\s/()-]{6,}\d/u,
  },
  { asked: /\b(?:e-?mail|mail|correo)\b/iu, given: /[\w.+-]+@[\w-]+\.\w/u },
];

/** What to look for in a passage: each of these once. */
export const expectedIn = (question: string): RegExp[] =>
  expectations.filter(({ asked }) => asked.test(question)).map(({ given }) => given);
