import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { intentLanguages, likelyIntent, recognizeIntent } from '../apps/server/src/features/answers/intents/intents.ts';
import { intents, type Intent } from '../apps/server/src/features/answers/intents/rules.ts';
import { likelyFirst } from '../apps/server/src/features/answers/language.ts';

// `node --expose-gc eval/intents.ts [LANGUAGE…] [--misses] [--anchors DIR] [--cost]`: how many phrasings of each intent are recognised, and how many ordinary
// questions are taken for one: before the search → if the search finds no answer. Rules are tuned on the `dev` half only; --misses shows that half.

export interface Phrasing {
  language: string;
  split: 'dev' | 'held-out';
  /** `ordinary` for a question that has none of the intents. */
  intent: Intent | 'ordinary';
  text: string;
}

const folder = join(import.meta.dirname, 'corpus/intents');
const splits = ['dev', 'held-out'] as const;

/** A file has one phrasing per line, under `# intent`. */
function readFile(language: string, split: Phrasing['split']): Phrasing[] {
  const file = join(folder, `${language}.${split}.txt`);
  if (!existsSync(file)) return [];
  let intent: Phrasing['intent'] = 'ordinary';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const text = line.trim();
      if (!text.startsWith('# ')) return text ? [{ language, split, intent, text }] : [];
      intent = text.slice(2) as Phrasing['intent'];
      return [];
    });
}

export const readPhrasings = (languages: readonly string[] = intentLanguages): Phrasing[] =>
  languages.flatMap((language) => splits.flatMap((split) => readFile(language, split)));

export interface Measured extends Phrasing {
  /** Before the search. */
  recognized: Intent | 'ordinary';
  /** If the search finds nothing. */
  likely: Intent | 'ordinary';
}

/** As in a bot with this language and English, on a page in this language. */
export const measure = (phrasings: readonly Phrasing[]): Promise<Measured[]> =>
  Promise.all(
    phrasings.map(async (one) => {
      const languages = await likelyFirst([one.language, 'en'], one);
      return {
        ...one,
        recognized: (await recognizeIntent(one.text, languages))?.intent ?? 'ordinary',
        likely: (await likelyIntent(one.text, languages))?.intent ?? 'ordinary',
      };
    }),
  );

export interface Share {
  right: number;
  of: number;
}
export const shareOf = (
  measured: readonly Measured[],
  intent: Phrasing['intent'],
  field: 'recognized' | 'likely' = 'recognized',
): Share => {
  const those = measured.filter((one) => one.intent === intent);
  return { right: those.filter((one) => one[field] === intent).length, of: those.length };
};

async function report(languages: readonly string[], showMisses: boolean): Promise<void> {
  const measured = await measure(readPhrasings(languages));
  const rows = languages.flatMap((language) =>
    splits.map((split) => {
      const those = measured.filter((one) => one.language === language && one.split === split);
      const percent = ({ right, of }: Share) => (of === 0 ? '-' : ((100 * right) / of).toFixed(0));
      const cells = [...intents, 'ordinary' as const].map((intent) => [
        intent,
        `${percent(shareOf(those, intent))} → ${percent(shareOf(those, intent, 'likely'))} % of ${shareOf(those, intent).of}`,
      ]);
      return [`${language} ${split}`, Object.fromEntries(cells) as Record<string, string>] as const;
    }),
  );
  console.table(Object.fromEntries(rows));
  if (!showMisses) return;
  for (const { language, split, intent, recognized, likely, text } of measured)
    if (split === 'dev' && (likely !== intent || (intent === 'human' && recognized !== intent)))
      console.log(`${language}  ${intent} → ${recognized} → ${likely}: ${text}`);
}

/** Intents of the public set CLINC150 that are ours too. Its other questions are ordinary, except for small talk. */
const clincIntents: Readonly<Record<string, Intent>> = {
  greeting: 'greeting',
  goodbye: 'goodbye',
  thank_you: 'thanks',
  cancel: 'stop',
  who_made_you: 'identity',
  what_is_your_name: 'identity',
  are_you_a_bot: 'identity',
  what_can_i_ask_you: 'identity',
};
const clincSmallTalk = new Set(
  `yes no maybe tell_joke fun_fact meaning_of_life do_you_have_pets what_are_your_hobbies where_are_you_from how_old_are_you
  who_do_you_work_for`.split(/\s+/u),
);

/** No rule was written with this set in view. */
async function reportClinc(folder: string): Promise<void> {
  const data = JSON.parse(readFileSync(join(folder, 'clinc150/data_small.json'), 'utf8')) as Record<
    'test' | 'val' | 'oos_test' | 'oos_val',
    [text: string, intent: string][]
  >;
  const asked = [...data.test, ...data.val].filter(([, name]) => !clincSmallTalk.has(name));
  const measured = await Promise.all(
    [...asked, ...data.oos_test, ...data.oos_val].map(async ([text, name]) => ({
      name,
      expected: clincIntents[name],
      recognized: (await recognizeIntent(text, ['en']))?.intent,
      likely: (await likelyIntent(text, ['en']))?.intent,
    })),
  );
  const groups = Map.groupBy(measured, ({ name, expected }) =>
    expected ? name : name === 'oos' ? 'out of scope' : 'other',
  );
  const rows = [...groups].map(([name, those]) => {
    const share = (field: 'recognized' | 'likely') =>
      `${((100 * those.filter((one) => one[field] === one.expected).length) / those.length).toFixed(1)} %`;
    return [name, { questions: those.length, 'before the search': share('recognized'), 'with cues': share('likely') }];
  });
  console.table(Object.fromEntries(rows));
}

/** What a language costs when it is first used, and a message after that. */
async function reportCost(languages: readonly string[]): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const language of languages) {
    const heap = () => (globalThis.gc?.(), process.memoryUsage().heapUsed);
    const [before, startedAt] = [heap(), performance.now()];
    await recognizeIntent('hello', [language]);
    const [firstMs, bytes] = [performance.now() - startedAt, heap() - before];
    const phrasings = readPhrasings([language]);
    const warm = performance.now();
    for (const { text } of phrasings) await recognizeIntent(text, [language]);
    rows[language] = {
      'first message': `${firstMs.toFixed(0)} ms`,
      memory: `${(bytes / 1e6).toFixed(1)} MB`,
      'each message': `${((performance.now() - warm) / phrasings.length).toFixed(2)} ms`,
    };
  }
  console.table(rows);
}

if (import.meta.main) {
  const anchors = process.argv.indexOf('--anchors');
  if (anchors !== -1) await reportClinc(process.argv[anchors + 1] ?? '');
  const languages = process.argv.slice(2).filter((argument) => intentLanguages.includes(argument));
  const chosen = languages.length > 0 ? languages : intentLanguages;
  if (process.argv.includes('--cost')) await reportCost(chosen);
  else await report(chosen, process.argv.includes('--misses'));
}
