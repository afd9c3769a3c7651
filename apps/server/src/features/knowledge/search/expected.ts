/**
 * What an answer looks like, by how the question begins: "how long" is answered by a time, "how much" by a price. The
 * words for it are mostly chatter, and tell nothing of the matter; they tell which chunk about the matter it is.
 */
export interface Expectation {
  asked: RegExp;
  /** In the text. */
  given: Pick<RegExp, 'test'>;
  /** In the heading. */
  headed: RegExp;
}

const number =
  '(?:\\d+|one|two|three|four|five|six|seven|eight|ten|twelve|ein(?:e[mnr]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|zehn|zwölf|une?|deux|trois|dos|tres)';
/** One number, or from one to another. */
const amount = new RegExp(`(?<![\\p{L}\\d])${number}(?:\\s?(?:-|–|to|bis|à|a)\\s?${number})?\\s`, 'giu');
const unit =
  /^(?:\p{L}+\s)?(?:minutes?|hours?|days?|weeks?|months?|years?|minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?|werktag\p{L}*|heures?|jours?|semaines?|mois|ans?|horas?|d[ií]as?|semanas?|meses|años?)(?!\p{L})/iu;
const maxAfterAmount = 60;

/** In two steps: as one pattern, nobody could tell that it takes no longer than its text. */
const hasDuration = (text: string) =>
  [...text.matchAll(amount)].some(({ index, 0: { length } }) => {
    const after = index + length;
    return unit.test(text.slice(after, after + maxAfterAmount).trimStart());
  });

const timeOfDay =
  /\b\d{1,2}[:.]\d\d\b|(?<!\p{L})(?:\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\.?|uhr|o’clock)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sonn)tags?|mittwochs?|samstags?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?!\p{L})/iu;

const expectations: Expectation[] = [
  {
    asked:
      /(?<!\p{L})(?:how (?:long|soon|fast|quickly|often|many (?:days|weeks|months))|when|deadline|wie (?:lange|schnell|oft|viele? (?:tage|wochen|monate))|wann|frist|combien de temps|quand|délai|cuánto tiempo|cuándo|plazo)(?!\p{L})/iu,
    given: { test: (text) => timeOfDay.test(text) || hasDuration(text) },
    headed:
      /how long|how fast|how soon|when|time|period|duration|deadline|valid|dauer|laufzeit|frist|wie lange|wann|zeit|gültig|délai|durée|quand|plazo|duración|cuándo/iu,
  },
  {
    asked:
      /(?<!\p{L})(?:how (?:much|expensive)|costs?|prices?|fees?|charges?|cheap(?:er)?|kostet|kosten|preise?|gebühr(?:en)?|wie ?viel|teuer|combien|coûte|prix|tarifs?|cuánto|cuesta|precios?)(?!\p{L})/iu,
    given:
      /[€$£]\s?\d|\d\s?(?:[€$£%]|(?:eur|euros?|usd|chf|gbp|cents?|prozent)(?!\p{L}))|(?<!\p{L})(?:free|kostenlos|gratis|gratuit)(?!\p{L})/iu,
    headed: /cost|price|pricing|fee|charge|kosten|preis|gebühr|prix|tarif|frais|precio|coste/iu,
  },
  {
    asked:
      /(?<!\p{L})(?:phone|telephone|call|hotline|telefon\p{L}*|anrufen|téléphone|appeler|teléfono|llamar)(?!\p{L})/iu,
    given: /\+?\d[\d\s/()-]{6,}\d/u,
    headed: /phone|contact|reach|telefon|kontakt|erreich|téléphone|contact|teléfono|contacto/iu,
  },
  {
    asked:
      /(?<!\p{L})(?:address|where(?: is| are| can)|adresse|anschrift|wo (?:ist|sind|sitzt|liegt|befindet)|où|dónde)(?!\p{L})/iu,
    given: /(?<![\d.,])\d{4,5},? \p{Lu}\p{Ll}+/u,
    headed: /address|where|location|centre|center|adresse|anschrift|standort|filiale|\bwo\b|où|dónde|dirección/iu,
  },
  {
    asked: /(?<!\p{L})(?:e-?mail|correo)(?!\p{L})/iu,
    given: /(?<![\w.+-])[\w.+-]+@[\w-]+\.\w/u,
    headed: /mail|contact|kontakt/iu,
  },
  {
    asked:
      /(?<!\p{L})(?:how (?:do|can|could|to|would|should) |where do i|wie (?:kann|kan|mach|richt|geht|läuft|funktioniert|stell|änder|\p{L}+e ich)|comment|cómo)/iu,
    given: /^[ \t]*1[.)]\s/mu,
    headed:
      /how to|how it works|step|set(?:ting)? up|so geht|so funktioniert|schritt|anleitung|einrichten|comment|étapes|cómo|pasos/iu,
  },
];

/** What to look for in a chunk. */
export const expectedIn = (question: string): Expectation[] => expectations.filter(({ asked }) => asked.test(question));
