/**
 * What an answer should contain, by the wording of the question: "how long" asks for a duration, "how much" for a
 * price. Such phrases are mostly chatter and say nothing about the topic, but they tell which chunk about the topic is
 * the answer.
 */
export interface Expectation {
  inQuestion: RegExp;
  inText: Pick<RegExp, 'test'>;
  inHeading: RegExp;
}

const number =
  '(?:\\d+|one|two|three|four|five|six|seven|eight|ten|twelve|ein(?:e[mnr]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|zehn|zwölf|une?|deux|trois|dos|tres)';
/** A number or a range. */
const amount = new RegExp(`(?<![\\p{L}\\d])${number}(?:\\s?(?:-|–|to|bis|à|a)\\s?${number})?\\s`, 'giu');
const unit =
  /^(?:\p{L}+\s)?(?:minutes?|hours?|days?|weeks?|months?|years?|minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?|werktag\p{L}*|heures?|jours?|semaines?|mois|ans?|horas?|d[ií]as?|semanas?|meses|años?)(?!\p{L})/iu;
const maxAfterAmount = 60;

/** In two steps, so that each pattern is provably linear. */
const hasDuration = (text: string) =>
  [...text.matchAll(amount)].some(({ index, 0: { length } }) => {
    const after = index + length;
    return unit.test(text.slice(after, after + maxAfterAmount).trimStart());
  });

const timeOfDay =
  /\b\d{1,2}[:.]\d\d\b|(?<!\p{L})(?:\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\.?|uhr|o’clock)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sonn)tags?|mittwochs?|samstags?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?!\p{L})/iu;

const expectations: Expectation[] = [
  {
    inQuestion:
      /(?<!\p{L})(?:how (?:long|soon|fast|quickly|often|many (?:days|weeks|months))|when|deadline|wie (?:lange|schnell|oft|viele? (?:tage|wochen|monate))|wann|frist|combien de temps|quand|délai|cuánto tiempo|cuándo|plazo)(?!\p{L})/iu,
    inText: { test: (text) => timeOfDay.test(text) || hasDuration(text) },
    inHeading:
      /how long|how fast|how soon|when|time|period|duration|deadline|valid|dauer|laufzeit|frist|wie lange|wann|zeit|gültig|délai|durée|quand|plazo|duración|cuándo/iu,
  },
  {
    inQuestion:
      /(?<!\p{L})(?:how (?:much|expensive)|costs?|prices?|fees?|charges?|cheap(?:er)?|kostet|kosten|preise?|gebühr(?:en)?|wie ?viel|teuer|combien|coûte|prix|tarifs?|cuánto|cuesta|precios?)(?!\p{L})/iu,
    inText:
      /[€$£]\s?\d|\d\s?(?:[€$£%]|(?:eur|euros?|usd|chf|gbp|cents?|prozent)(?!\p{L}))|(?<!\p{L})(?:free|kostenlos|gratis|gratuit)(?!\p{L})/iu,
    inHeading: /cost|price|pricing|fee|charge|kosten|preis|gebühr|prix|tarif|frais|precio|coste/iu,
  },
  {
    inQuestion:
      /(?<!\p{L})(?:phone|telephone|call|hotline|telefon\p{L}*|anrufen|téléphone|appeler|teléfono|llamar)(?!\p{L})/iu,
    inText: /\+?\d[\d\s/()-]{6,}\d/u,
    inHeading: /phone|contact|reach|telefon|kontakt|erreich|téléphone|contact|teléfono|contacto/iu,
  },
  {
    inQuestion:
      /(?<!\p{L})(?:address|where(?: is| are| can)|adresse|anschrift|wo (?:ist|sind|sitzt|liegt|befindet)|où|dónde)(?!\p{L})/iu,
    inText: /(?<![\d.,])\d{4,5},? \p{Lu}\p{Ll}+/u,
    inHeading: /address|where|location|centre|center|adresse|anschrift|standort|filiale|\bwo\b|où|dónde|dirección/iu,
  },
  {
    inQuestion: /(?<!\p{L})(?:e-?mail|correo)(?!\p{L})/iu,
    inText: /(?<![\w.+-])[\w.+-]+@[\w-]+\.\w/u,
    inHeading: /mail|contact|kontakt/iu,
  },
  {
    inQuestion:
      /(?<!\p{L})(?:how (?:do|can|could|to|would|should) |where do i|wie (?:kann|kan|mach|richt|geht|läuft|funktioniert|stell|änder|\p{L}+e ich)|comment|cómo)/iu,
    inText: /^[ \t]*1[.)]\s/mu,
    inHeading:
      /how to|how it works|step|set(?:ting)? up|so geht|so funktioniert|schritt|anleitung|einrichten|comment|étapes|cómo|pasos/iu,
  },
];

/** The expectations that a question implies. */
export const expectedIn = (question: string): Expectation[] =>
  expectations.filter(({ inQuestion }) => inQuestion.test(question));
