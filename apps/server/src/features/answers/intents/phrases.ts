// Phrases that people write, as data: a line of tokens in a small notation, compiled to a list of steps over tokens.
//
//   thank you            these tokens
//   (speak|talk) to      one of them; an alternative may have several tokens: (get in touch|speak)
//   [so] much            may be missing
//   <person>             one entry of the language's list of that name
//   i want … human       up to three tokens in between
//   ~ speak to <person>  anywhere in the message
//
// Without ~, phrases and filler tokens have to cover the whole message: "great, thanks a lot. bye!" consists of three.
//
// Matching follows all alternatives token by token, so its time grows with the tokens of the message only.

/** Alternatives, each a sequence of tokens, by their first token; `null` stands for up to three tokens of any kind. */
type Step = { options: ReadonlyMap<string, readonly (readonly string[])[]>; isOptional: boolean } | null;

export interface Phrase {
  steps: readonly Step[];
  isAnywhere: boolean;
}

type Lists = Readonly<Record<string, string>>;

const maxGap = 3;

/** Parts of a line: a group, an optional group, a list, a gap or a token. */
const part = /\((?<group>[^()]*)\)|\[(?<optional>[^[\]]*)\]|<(?<list>[a-z]+)>|(?<gap>…)|(?<word>[^\s()[\]<>…]+)/gu;

export function compilePhrase(line: string, lists: Lists, fold: (text: string) => string): Phrase {
  const isAnywhere = line.startsWith('~');
  const optionsOf = (text: string): string[][] =>
    text.split('|').flatMap((option) => {
      const [, name] = /^<([a-z]+)>$/u.exec(option.trim()) ?? [];
      return name === undefined ? [fold(option).split(' ').filter(Boolean)] : entriesOf(name);
    });
  const entriesOf = (name: string): string[][] => {
    const entries = lists[name];
    if (entries === undefined) throw new Error(`“${line}” uses the list “${name}”, which does not exist`);
    return entries.split(',').map((entry) => fold(entry).split(' ').filter(Boolean));
  };
  const steps = [...line.replace(/^~/u, '').matchAll(part)].map(({ groups = {} }): Step => {
    const { group, optional, list, gap, word } = groups;
    if (gap !== undefined) return null;
    const options = list === undefined ? optionsOf(group ?? optional ?? word ?? '') : entriesOf(list);
    const byFirst = Map.groupBy(
      options.filter(([first]) => first !== undefined),
      ([first = '']) => first,
    );
    return { options: byFirst, isOptional: optional !== undefined };
  });
  return { steps, isAnywhere };
}

/** All tokens that a phrase contains, to recognise misspelled ones. */
export const wordsIn = ({ steps }: Phrase): string[] =>
  steps.flatMap((step) => [...(step?.options.values() ?? [])].flat(2));

/** Where the phrase ends if it starts at this token; empty if it doesn't. */
export function endsOf({ steps }: Phrase, words: readonly string[], start: number): ReadonlySet<number> {
  let positions: ReadonlySet<number> = new Set([start]);
  for (const step of steps) {
    const next = new Set<number>();
    for (const position of positions) {
      if (step === null) for (let gap = 0; gap <= maxGap; gap++) next.add(position + gap);
      else {
        if (step.isOptional) next.add(position);
        for (const option of step.options.get(words[position] ?? '') ?? [])
          if (option.every((word, n) => words[position + n] === word)) next.add(position + option.length);
      }
    }
    if (next.size === 0) return next;
    positions = next;
  }
  return new Set([...positions].filter((end) => end <= words.length && end > start));
}

/** The tokens with which a phrase can start; undefined if it starts with a gap. */
export function firstWordsOf({ steps }: Phrase): Set<string> | undefined {
  const first = new Set<string>();
  for (const step of steps) {
    if (step === null) return undefined;
    for (const word of step.options.keys()) first.add(word);
    if (!step.isOptional) return first;
  }
  return first;
}
