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

/** Alternatives, each a sequence of tokens, by their first token. */
type Alternatives = ReadonlyMap<string, readonly (readonly string[])[]>;

/** One of several alternatives, of a line or of the lists that it names; `null` stands for up to three tokens of any kind. */
type Step = { options: readonly Alternatives[]; isOptional: boolean } | null;

export interface Phrase {
  steps: readonly Step[];
  isAnywhere: boolean;
}

const maxGap = 3;

/** Parts of a line: a group, an optional group, a list, a gap or a token. */
const part = /\((?<group>[^()]*)\)|\[(?<optional>[^[\]]*)\]|<(?<list>[a-z]+)>|(?<gap>…)|(?<word>[^\s()[\]<>…]+)/gu;

/** Compiles the lines of a language. Lists are compiled once and shared by the lines that name them. */
export function phraseCompiler(lists: Readonly<Record<string, string>>, fold: (text: string) => string) {
  const alternatives = (options: readonly string[]): Alternatives =>
    Map.groupBy(
      options.map((option) => fold(option).split(' ').filter(Boolean)).filter(({ length }) => length > 0),
      ([first = '']) => first,
    );
  const compiledLists = new Map<string, Alternatives>();
  function listNamed(name: string, line: string): Alternatives {
    const entries = lists[name];
    if (entries === undefined) throw new Error(`“${line}” uses the list “${name}”, which does not exist`);
    const list = compiledLists.get(name) ?? alternatives(entries.split(','));
    compiledLists.set(name, list);
    return list;
  }
  function optionsOf(text: string, line: string): Alternatives[] {
    const { named = [], plain = [] } = Object.groupBy(text.split('|'), (option) =>
      option.includes('<') ? 'named' : 'plain',
    );
    const namedLists = named.map((option) => {
      const [, name] = /^<([a-z]+)>$/u.exec(option.trim()) ?? [];
      if (name === undefined) throw new Error(`“${line}”: a list has to be a separate alternative`);
      return listNamed(name, line);
    });
    return plain.length > 0 ? [alternatives(plain), ...namedLists] : namedLists;
  }
  return (line: string): Phrase => {
    const steps = [...line.replace(/^~/u, '').matchAll(part)].map(({ groups = {} }): Step => {
      const { group, optional, list, gap, word } = groups;
      if (gap !== undefined) return null;
      const options = list === undefined ? optionsOf(group ?? optional ?? word ?? '', line) : [listNamed(list, line)];
      return { options, isOptional: optional !== undefined };
    });
    return { steps, isAnywhere: line.startsWith('~') };
  };
}

/** All tokens that a phrase contains, to recognise misspelled ones. */
export const wordsIn = ({ steps }: Phrase): string[] =>
  steps.flatMap((step) => (step?.options ?? []).flatMap((options) => [...options.values()].flat(2)));

/** Where the phrase ends if it starts at this token; empty if it doesn't. */
export function endsOf({ steps }: Phrase, words: readonly string[], start: number): ReadonlySet<number> {
  let positions: ReadonlySet<number> = new Set([start]);
  for (const step of steps) {
    const next = new Set<number>();
    for (const position of positions) {
      if (step === null) for (let gap = 0; gap <= maxGap; gap++) next.add(position + gap);
      else {
        if (step.isOptional) next.add(position);
        for (const options of step.options)
          for (const option of options.get(words[position] ?? '') ?? [])
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
    for (const options of step.options) for (const word of options.keys()) first.add(word);
    if (!step.isOptional) return first;
  }
  return first;
}
