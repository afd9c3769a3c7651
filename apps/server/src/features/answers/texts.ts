import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';
import { it } from './texts/it.ts';
import { nl } from './texts/nl.ts';
import { pl } from './texts/pl.ts';
import { pt } from './texts/pt.ts';
import { tr } from './texts/tr.ts';
import type { ActionTexts, Texts } from './texts/types.ts';

const texts: Readonly<Record<string, Texts>> = { en, de, fr, es, nl, it, pt, pl, tr };

export const textsIn = (language: string): Texts => texts[language.slice(0, 2)] ?? en;

export const actionTextsIn = (language: string): ActionTexts => textsIn(language).actions;

/** A message that cancels an action. */
const cancelling =
  /^(no|nope|cancel|stop|never ?mind|forget it|nein|abbrechen|abbruch|stopp|vergiss es|annuler|non|arr[eê]ter|cancelar|no gracias|parar|annuleren|nee|annulla|anuluj|nie|iptal|hayır|não)[\s!.]*$/iu;
export const isCancelling = (text: string) => cancelling.test(text.trim());
