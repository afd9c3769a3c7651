/** German verbs that come apart: "hebt … auf" is aufheben, "zurückgeschickt" and "zurückzuschicken" are zurückschicken. */
const particles =
  'ab an auf aus bei durch ein fest frei her hin los mit nach um unter vor weg weiter wieder zu zurück zusammen'.split(
    ' ',
  );
const longestFirst = particles.toSorted((a, b) => b.length - a.length);

interface Verb {
  particle: string;
  stem: string;
  /** zurück-ge-schickt, zurück-zu-schicken. */
  isLinked: boolean;
}

function separable(word: string): Verb | undefined {
  for (const particle of longestFirst) {
    if (!word.startsWith(particle)) continue;
    const rest = word.slice(particle.length);
    const linked = /^(?:ge|zu)(\p{L}{3,})$/u.exec(rest)?.[1];
    if (linked !== undefined) return { particle, stem: linked, isLinked: true };
    if (/^\p{L}{3,}$/u.test(rest)) return { particle, stem: rest, isLinked: false };
  }
  return undefined;
}

/** Other forms in which the same verb may be written in one word. */
export function verbForms(word: string, words: readonly string[]): string[] {
  const forms: string[] = [];
  const verb = separable(word);
  if (verb?.isLinked) forms.push(`${verb.particle}${infinitive(verb.stem)}`);
  const participle = /^ge(\p{L}{3,})t$/u.exec(word);
  if (participle) forms.push(`${participle[1]}en`);
  if (word.length >= 4 && !verb) {
    for (const other of words) if (particles.includes(other)) forms.push(`${other}${infinitive(word)}`);
  }
  return forms;
}

const infinitive = (word: string) => `${word.replace(/(?:est|st|en|et|e|t)$/u, '')}en`;

/** The particle and the verb, where a chunk may have them apart. */
export function verbParts(word: string): [string, string] | undefined {
  const verb = separable(word);
  return verb && [verb.particle, infinitive(verb.stem)];
}
