/** German separable verbs: "hebt … auf" is aufheben, "zurückgeschickt" and "zurückzuschicken" are zurückschicken. */
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

function separable(token: string): Verb | undefined {
  for (const particle of longestFirst) {
    if (!token.startsWith(particle)) continue;
    const rest = token.slice(particle.length);
    const linked = /^(?:ge|zu)(\p{L}{3,})$/u.exec(rest)?.[1];
    if (linked !== undefined) return { particle, stem: linked, isLinked: true };
    if (/^\p{L}{3,}$/u.test(rest)) return { particle, stem: rest, isLinked: false };
  }
  return undefined;
}

/** Other forms of the same verb, written as one token. */
export function verbForms(token: string, tokens: readonly string[]): string[] {
  const forms: string[] = [];
  const verb = separable(token);
  if (verb?.isLinked) forms.push(`${verb.particle}${infinitive(verb.stem)}`);
  const participle = /^ge(\p{L}{3,})t$/u.exec(token);
  if (participle) forms.push(`${participle[1]}en`);
  if (token.length >= 4 && !verb) {
    for (const other of tokens) if (particles.includes(other)) forms.push(`${other}${infinitive(token)}`);
  }
  return forms;
}

const infinitive = (token: string) => `${token.replace(/(?:est|st|en|et|e|t)$/u, '')}en`;

/** The particle and the verb, for chunks in which they are separated. */
export function verbParts(token: string): [string, string] | undefined {
  const verb = separable(token);
  return verb && [verb.particle, infinitive(verb.stem)];
}
